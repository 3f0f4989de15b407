"""`omega`: linear arithmetic over Nat and Int with proof terms."""
