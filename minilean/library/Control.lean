/- Monads: the classes behind `do`, and `Option`, `Except`, `Id`, `StateT`. -/

universe u v w

/-- `f <$> x`: the function applied inside of `x`. -/
class Functor (f : Type u → Type v) : Type (max (u + 1) v) where
  /-- The function applied inside. -/
  map : {α β : Type u} → (α → β) → f α → f β
  /-- The same value in every place. -/
  mapConst : {α β : Type u} → α → f β → f α := Function.comp map (Function.const _)

/-- The types with `pure`. -/
class Pure (f : Type u → Type v) where
  /-- A value as an action without effects. -/
  pure {α : Type u} : α → f α

export Pure (pure)

/-- `f <*> x`. -/
class Seq (f : Type u → Type v) : Type (max (u + 1) v) where
  /-- The function of the first action, applied to the value of the second. -/
  seq : {α β : Type u} → f (α → β) → (Unit → f α) → f β

/-- `x <* y`. -/
class SeqLeft (f : Type u → Type v) : Type (max (u + 1) v) where
  /-- Both actions, with the value of the first. -/
  seqLeft : {α β : Type u} → f α → (Unit → f β) → f α

/-- `x *> y`. -/
class SeqRight (f : Type u → Type v) : Type (max (u + 1) v) where
  /-- Both actions, with the value of the second. -/
  seqRight : {α β : Type u} → f α → (Unit → f β) → f β

/-- `x >>= f`. -/
class Bind (m : Type u → Type v) where
  /-- The first action, then the one that its value gives. -/
  bind : {α β : Type u} → m α → (α → m β) → m β

export Bind (bind)

/-- Functors with `pure` and `<*>`. -/
class Applicative (f : Type u → Type v) extends Functor f, Pure f, Seq f, SeqLeft f, SeqRight f where
  map := fun x y => Seq.seq (pure x) fun _ => y
  seqLeft := fun a b => Seq.seq (Functor.map (Function.const _) a) b
  seqRight := fun a b => Seq.seq (Functor.map (Function.const _ id) a) b

/-- Functors with `pure` and `>>=`: the types of actions of `do`. -/
class Monad (m : Type u → Type v) : Type (max (u + 1) v) extends Applicative m, Bind m where
  map f x := bind x (Function.comp pure f)
  seq f x := bind f fun y => Functor.map y (x ())
  seqLeft x y := bind x fun a => bind (y ()) (fun _ => pure a)
  seqRight x y := bind x fun _ => y ()

instance instInhabitedForallOfMonad {α : Type u} {m : Type u → Type v} [Monad m] : Inhabited (α → m α) := ⟨Pure.pure⟩

/-- `x <|> y` with operands of different types. -/
class HOrElse (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  /-- The first operand, unless it fails. -/
  hOrElse : α → (Unit → β) → γ

/-- `x <|> y`. -/
class OrElse (α : Type u) where
  /-- The first operand, unless it fails. -/
  orElse : α → (Unit → α) → α

@[default_instance] instance instHOrElseOfOrElse {α : Type u} [OrElse α] : HOrElse α α α :=
  ⟨fun a b => OrElse.orElse a b⟩

/-- Applicative functors with a failure. -/
class Alternative (f : Type u → Type v) : Type (max (u + 1) v) extends Applicative f where
  /-- The failure. -/
  failure : {α : Type u} → f α
  /-- The first operand, unless it fails. -/
  orElse : {α : Type u} → f α → (Unit → f α) → f α

instance instOrElseOfAlternative (f : Type u → Type v) (α : Type u) [Alternative f] : OrElse (f α) :=
  ⟨Alternative.orElse⟩

/-- Succeeds if a proposition holds. -/
def guard {f : Type → Type v} [Alternative f] (p : Prop) [Decidable p] : f Unit :=
  if p then Pure.pure () else Alternative.failure

/-- `x <&> f`. -/
@[reducible] def Functor.mapRev {f : Type u → Type v} [Functor f] {α β : Type u} : f α → (α → β) → f β :=
  fun a f => Functor.map f a

/-- `(f >=> g) x`. -/
def Bind.kleisliRight {α : Type u} {m : Type u → Type v} {β γ : Type u} [Bind m] (f₁ : α → m β) (f₂ : β → m γ) (a : α) :
    m γ := bind (f₁ a) f₂

/-- `f =<< x`. -/
def Bind.bindLeft {α : Type u} {m : Type u → Type v} {β : Type u} [Bind m] (f : α → m β) (ma : m α) : m β := bind ma f

/-- The first action, then the one of its value. -/
@[reducible] def Monad.join {m : Type u → Type u} [Monad m] {α : Type u} (a : m (m α)) : m α := Bind.bind a id

/- Laws -/

/-- Functors with the laws of `map`. -/
class LawfulFunctor (f : Type u → Type v) [Functor f] : Prop where
  map_const : ∀ {α β : Type u}, (Functor.mapConst : α → f β → f α) = Functor.map ∘ Function.const β
  id_map : ∀ {α : Type u} (x : f α), id <$> x = x
  comp_map : ∀ {α β γ : Type u} (g : α → β) (h : β → γ) (x : f α), (h ∘ g) <$> x = h <$> g <$> x

/-- Applicative functors with the laws of `pure` and `<*>`. -/
class LawfulApplicative (f : Type u → Type v) [Applicative f] : Prop extends LawfulFunctor f where
  seqLeft_eq : ∀ {α β : Type u} (x : f α) (y : f β), x <* y = Function.const β <$> x <*> y
  seqRight_eq : ∀ {α β : Type u} (x : f α) (y : f β), x *> y = Function.const α id <$> x <*> y
  pure_seq : ∀ {α β : Type u} (g : α → β) (x : f α), Pure.pure g <*> x = g <$> x
  map_pure : ∀ {α β : Type u} (g : α → β) (x : α), g <$> (Pure.pure x : f α) = Pure.pure (g x)
  seq_pure : ∀ {α β : Type u} (g : f (α → β)) (x : α), g <*> Pure.pure x = (fun h => h x) <$> g
  seq_assoc : ∀ {α β γ : Type u} (x : f α) (g : f (α → β)) (h : f (β → γ)),
    h <*> (g <*> x) = Function.comp <$> h <*> g <*> x

/-- Monads with the laws of `pure` and `>>=`. -/
class LawfulMonad (m : Type u → Type v) [Monad m] : Prop extends LawfulApplicative m where
  bind_pure_comp : ∀ {α β : Type u} (f : α → β) (x : m α), x >>= (fun a => Pure.pure (f a)) = f <$> x
  bind_map : ∀ {α β : Type u} (f : m (α → β)) (x : m α), f >>= (fun g => g <$> x) = f <*> x
  pure_bind : ∀ {α β : Type u} (x : α) (f : α → m β), Pure.pure x >>= f = f x
  bind_assoc : ∀ {α β γ : Type u} (x : m α) (f : α → m β) (g : β → m γ), x >>= f >>= g = x >>= fun x => f x >>= g

attribute [simp] LawfulFunctor.id_map LawfulApplicative.map_pure LawfulMonad.bind_pure_comp LawfulMonad.pure_bind
  LawfulMonad.bind_assoc

section

variable {m : Type u → Type v} [Monad m] [LawfulMonad m] {α β : Type u}

@[simp] theorem id_map' (x : m α) : (fun a => a) <$> x = x := LawfulFunctor.id_map x

@[simp] theorem bind_pure (x : m α) : x >>= Pure.pure = x := by
  have h : x >>= (fun a => Pure.pure (id a)) = id <$> x := LawfulMonad.bind_pure_comp id x
  rw [LawfulFunctor.id_map] at h
  exact h

theorem map_eq_pure_bind (f : α → β) (x : m α) : f <$> x = x >>= fun a => Pure.pure (f a) :=
  (LawfulMonad.bind_pure_comp f x).symm

end

/- Option -/

instance instMonadOption : Monad Option where
  pure := Option.some
  bind := Option.bind

instance instFunctorOption : Functor Option where
  map := Option.map

instance instAlternativeOption : Alternative Option where
  failure := Option.none
  orElse := Option.orElse

namespace Option

variable {α β : Type u}

@[simp] theorem pure_def : (Pure.pure : α → Option α) = some := rfl

@[simp] theorem bind_eq_bind : (Bind.bind : Option α → (α → Option β) → Option β) = Option.bind := rfl

@[simp] theorem map_eq_map {f : α → β} : Functor.map f = Option.map f := rfl

@[simp] theorem orElse_eq_orElse : HOrElse.hOrElse = @Option.orElse α := rfl

instance : LawfulMonad Option where
  map_const := rfl
  id_map x := by cases x <;> rfl
  comp_map g h x := by cases x <;> rfl
  seqLeft_eq x y := by cases x <;> cases y <;> rfl
  seqRight_eq x y := by cases x <;> cases y <;> rfl
  pure_seq g x := by cases x <;> rfl
  map_pure g x := rfl
  seq_pure g x := by cases g <;> rfl
  seq_assoc x g h := by cases h <;> cases g <;> cases x <;> rfl
  bind_pure_comp f x := by cases x <;> rfl
  bind_map f x := by cases f <;> cases x <;> rfl
  pure_bind x f := rfl
  bind_assoc x f g := by cases x <;> rfl

end Option

/- Lists -/

/-- The actions `f init a₁`, `f _ a₂`, .., each at the value of the one before. -/
def List.foldlM {m : Type u → Type v} [Monad m] {s : Type u} {α : Type w} (f : s → α → m s) :
    (init : s) → List α → m s
  | s, [] => Pure.pure s
  | s, a :: as => do
    let s' ← f s a
    List.foldlM f s' as

/-- The action of each element, in order. -/
protected def List.forM {m : Type u → Type v} [Monad m] {α : Type w} (as : List α) (f : α → m PUnit) : m PUnit :=
  match as with
  | [] => Pure.pure ⟨⟩
  | a :: as => do
    f a
    List.forM as f

/- Except -/

/-- A value, or an error. -/
inductive Except (ε : Type u) (α : Type v) where
  | error : ε → Except ε α
  | ok : α → Except ε α

namespace Except

variable {ε : Type u} {α : Type v} {β : Type w}

instance [Inhabited ε] : Inhabited (Except ε α) := ⟨Except.error default⟩

/-- A value. -/
protected def pure (a : α) : Except ε α := Except.ok a

/-- The function applied to the value. -/
protected def map (f : α → β) : Except ε α → Except ε β
  | Except.error err => Except.error err
  | Except.ok v => Except.ok (f v)

/-- The function applied to the error. -/
protected def mapError {ε' : Type w} (f : ε → ε') : Except ε α → Except ε' α
  | Except.error err => Except.error (f err)
  | Except.ok v => Except.ok v

/-- The action of the value. -/
protected def bind (ma : Except ε α) (f : α → Except ε β) : Except ε β :=
  match ma with
  | Except.error err => Except.error err
  | Except.ok v => f v

/-- Whether there is a value. -/
protected def toBool : Except ε α → Bool
  | Except.ok _ => true
  | Except.error _ => false

/-- Whether there is a value. -/
abbrev isOk : Except ε α → Bool := Except.toBool

/-- The value, if there is one. -/
protected def toOption : Except ε α → Option α
  | Except.ok a => some a
  | Except.error _ => none

/-- The handler's action where there is an error. -/
protected def tryCatch (ma : Except ε α) (handle : ε → Except ε α) : Except ε α :=
  match ma with
  | Except.ok a => Except.ok a
  | Except.error e => handle e

/-- The second action where the first has an error. -/
def orElseLazy (x : Except ε α) (y : Unit → Except ε α) : Except ε α :=
  match x with
  | Except.ok a => Except.ok a
  | Except.error _ => y ()

instance instMonad : Monad (Except ε) where
  pure := Except.pure
  bind := Except.bind
  map := Except.map

instance : LawfulMonad (Except ε) where
  map_const := rfl
  id_map x := by cases x <;> rfl
  comp_map g h x := by cases x <;> rfl
  seqLeft_eq x y := by cases x <;> cases y <;> rfl
  seqRight_eq x y := by cases x <;> cases y <;> rfl
  pure_seq g x := by cases x <;> rfl
  map_pure g x := rfl
  seq_pure g x := by cases g <;> rfl
  seq_assoc x g h := by cases h <;> cases g <;> cases x <;> rfl
  bind_pure_comp f x := by cases x <;> rfl
  bind_map f x := by cases f <;> cases x <;> rfl
  pure_bind x f := rfl
  bind_assoc x f g := by cases x <;> rfl

end Except

/-- Monads with errors of the type `ε`. -/
class MonadExceptOf (ε : semiOutParam (Type u)) (m : Type v → Type w) where
  /-- Stops with an error. -/
  throw {α : Type v} : ε → m α
  /-- Handles errors. -/
  tryCatch {α : Type v} (body : m α) (handler : ε → m α) : m α

/-- Monads with errors, whose type the monad determines. -/
class MonadExcept (ε : outParam (Type u)) (m : Type v → Type w) where
  /-- Stops with an error. -/
  throw {α : Type v} : ε → m α
  /-- Handles errors. -/
  tryCatch {α : Type v} : (body : m α) → (handler : ε → m α) → m α

export MonadExcept (throw tryCatch)

instance instMonadExceptOfMonadExceptOf (ε : Type u) (m : Type v → Type w) [MonadExceptOf ε m] : MonadExcept ε m where
  throw := MonadExceptOf.throw
  tryCatch := MonadExceptOf.tryCatch

instance instMonadExceptOfExcept {ε : Type u} : MonadExceptOf ε (Except ε) where
  throw := Except.error
  tryCatch := Except.tryCatch

/- Id -/

/-- The monad without effects. -/
def Id (type : Type u) : Type u := type

namespace Id

/-- The value of an action. -/
protected def run {α : Type u} (x : Id α) : α := x

instance instMonad : Monad Id where
  pure := fun x => x
  bind := fun x f => f x
  map := fun f x => f x

instance : LawfulMonad Id where
  map_const := rfl
  id_map x := rfl
  comp_map g h x := rfl
  seqLeft_eq x y := rfl
  seqRight_eq x y := rfl
  pure_seq g x := rfl
  map_pure g x := rfl
  seq_pure g x := rfl
  seq_assoc x g h := rfl
  bind_pure_comp f x := rfl
  bind_map f x := rfl
  pure_bind x f := rfl
  bind_assoc x f g := rfl

@[simp] theorem run_pure {α : Type u} (x : α) : Id.run (Pure.pure x) = x := rfl

@[simp] theorem run_bind {α β : Type u} (x : Id α) (f : α → Id β) : Id.run (Bind.bind x f) = (f x.run).run := rfl

@[simp] theorem run_map {α β : Type u} (f : α → β) (x : Id α) : Id.run (Functor.map f x) = f x.run := rfl

@[simp] theorem pure_run {α : Type u} (a : Id α) : Pure.pure a.run = a := rfl

end Id

/- StateT -/

/-- Actions with a state. -/
def StateT (σ : Type u) (m : Type u → Type v) (α : Type u) : Type (max u v) := σ → m (α × σ)

/-- The value and the last state of an action. -/
def StateT.run {σ : Type u} {m : Type u → Type v} {α : Type u} (x : StateT σ m α) (s : σ) : m (α × σ) := x s

/-- The value of an action. -/
def StateT.run' {σ : Type u} {m : Type u → Type v} [Functor m] {α : Type u} (x : StateT σ m α) (s : σ) : m α :=
  Functor.map (fun x => x.1) (x s)

/-- Actions with a state and without other effects. -/
@[reducible] def StateM (σ α : Type u) : Type u := StateT σ Id α

namespace StateT

variable {σ : Type u} {m : Type u → Type v} [Monad m] {α β : Type u}

/-- A value. -/
protected def pure (a : α) : StateT σ m α := fun s => Pure.pure (a, s)

/-- One action, then the one of its value. -/
protected def bind (x : StateT σ m α) (f : α → StateT σ m β) : StateT σ m β :=
  fun s => Bind.bind (x s) fun p => f p.1 p.2

/-- The function applied to the value. -/
protected def map (f : α → β) (x : StateT σ m α) : StateT σ m β :=
  fun s => Bind.bind (x s) fun p => Pure.pure (f p.1, p.2)

instance instMonad : Monad (StateT σ m) where
  pure := StateT.pure
  bind := StateT.bind
  map := StateT.map

/-- The state. -/
protected def get : StateT σ m σ := fun s => Pure.pure (s, s)

/-- Another state. -/
protected def set : σ → StateT σ m PUnit := fun s' _ => Pure.pure (⟨⟩, s')

/-- Another state, made of the present one, and a value. -/
protected def modifyGet (f : σ → α × σ) : StateT σ m α := fun s => Pure.pure (f s)

end StateT

/-- Monads with a state of the type `σ`. -/
class MonadStateOf (σ : semiOutParam (Type u)) (m : Type u → Type v) where
  /-- The state. -/
  get : m σ
  /-- Another state. -/
  set : σ → m PUnit
  /-- Another state, made of the present one, and a value. -/
  modifyGet {α : Type u} : (σ → Prod α σ) → m α

export MonadStateOf (set)

/-- Monads with a state, whose type the monad determines. -/
class MonadState (σ : outParam (Type u)) (m : Type u → Type v) where
  /-- The state. -/
  get : m σ
  /-- Another state. -/
  set : σ → m PUnit
  /-- Another state, made of the present one, and a value. -/
  modifyGet {α : Type u} : (σ → Prod α σ) → m α

export MonadState (get modifyGet)

instance instMonadStateOfMonadStateOf (σ : Type u) (m : Type u → Type v) [MonadStateOf σ m] : MonadState σ m where
  set := MonadStateOf.set
  get := MonadStateOf.get
  modifyGet := fun f => MonadStateOf.modifyGet f

/-- The function applied to the state. -/
def modify {σ : Type u} {m : Type u → Type v} [MonadState σ m] (f : σ → σ) : m PUnit :=
  MonadState.modifyGet fun s => (PUnit.unit, f s)

namespace StateT

variable {σ : Type u} {m : Type u → Type v} [Monad m] {α β : Type u}

instance : MonadStateOf σ (StateT σ m) where
  get := StateT.get
  set := StateT.set
  modifyGet := StateT.modifyGet

@[simp] theorem run_pure (a : α) (s : σ) : (Pure.pure a : StateT σ m α).run s = Pure.pure (a, s) := rfl

@[simp] theorem run_bind (x : StateT σ m α) (f : α → StateT σ m β) (s : σ) :
    (x >>= f).run s = x.run s >>= fun p => (f p.1).run p.2 := rfl

@[simp] theorem run_get (s : σ) : (MonadState.get : StateT σ m σ).run s = Pure.pure (s, s) := rfl

@[simp] theorem run_set (s s' : σ) : (MonadStateOf.set s' : StateT σ m PUnit).run s = Pure.pure (⟨⟩, s') := rfl

@[simp] theorem run_modify (f : σ → σ) (s : σ) : (modify f : StateT σ m PUnit).run s = Pure.pure (⟨⟩, f s) := rfl

end StateT
