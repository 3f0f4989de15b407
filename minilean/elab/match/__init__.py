"""Pattern matching: `match`, equations of functions, case trees and matchers."""
