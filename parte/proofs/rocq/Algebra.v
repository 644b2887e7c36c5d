(* The event algebra: patterns over a stream and what they mean (D definition 12; algebra/partelang/evaluate.py), rules
   as left-deep chains, programs as strata (algebra/partelang/mapping.py, programs.py). *)
From Parte Require Export Tokens.

Section Algebra.
Context {E : Events}.

(* A value binds variables to events (specification: mapping-values); a variable is its position among those of the
   pattern, in the order in which they are bound. A condition is any decidable predicate on values.
   Specification: meaning-disjunction is left out, for no rule is mapped to one. A collection is none of D's: it adds to
   each value the set of the events of a template that meet a condition with it. *)
Inductive pattern :=
| Binding (of : nat)
| Conjunction (p q : pattern)
| Filter (p : pattern) (condition : partial -> bool)
| Negation (p n : pattern) (condition : partial -> bool)
| Collection (p : pattern) (of : nat) (condition : partial -> bool).

(* Definition 12, over the set of all events (specification: stream, meaning-binding, meaning-conjunction,
   meaning-filter,
   meaning-negation). Nothing is consumed (specification: zero-consumption, self-defeat). *)
Fixpoint means (stream : event -> Prop) (p : pattern) (v : partial) : Prop :=
  match p with
  | Binding n => exists e, stream e /\ template e = n /\ v = [e]
  | Conjunction p q => exists a b, means stream p a /\ means stream q b /\ v = a ++ b
  | Filter p condition => means stream p v /\ condition v = true
  | Negation p n condition => means stream p v /\ ~ exists b, means stream n b /\ condition (v ++ b) = true
  | Collection p n condition => exists u s, means stream p u /\ v = with_set_of u s /\
      forall e, In e s <-> stream e /\ template e = n /\ condition (u ++ [e]) = true
  end.

(* The same, counted: the evaluator of parte/algebra/partelang/evaluate.py. *)
Definition of (n : nat) (stream : list event) : list partial :=
  map (fun e => [e]) (filter (fun e => Nat.eqb (template e) n) stream).
Definition set_in (stream : list event) (n : nat) (condition : partial -> bool) (v : partial) : list event :=
  filter (fun e => condition (v ++ [e])) (filter (fun e => Nat.eqb (template e) n) stream).
Fixpoint evaluate (stream : list event) (p : pattern) : list partial :=
  match p with
  | Binding n => of n stream
  | Conjunction p q => map (fun ab => fst ab ++ snd ab) (list_prod (evaluate stream p) (evaluate stream q))
  | Filter p condition => filter condition (evaluate stream p)
  | Negation p n condition =>
      filter (fun v => forallb (fun b => negb (condition (v ++ b))) (evaluate stream n)) (evaluate stream p)
  | Collection p n condition => map (fun v => with_set_of v (set_in stream n condition v)) (evaluate stream p)
  end.

(* Specification: meaning-binding, meaning-conjunction, meaning-filter, meaning-negation. *)
Theorem evaluation_is_definition_12 : forall stream p v,
  In v (evaluate stream p) <-> means (fun e => In e stream) p v.
Proof.
  intros stream p. induction p; simpl; intros v.
  - unfold of. rewrite in_map_iff. split.
    + intros (e & Eq & I). apply filter_In in I as [I T]. apply Nat.eqb_eq in T. eauto.
    + intros (e & I & T & Eq). exists e. split; auto. apply filter_In. split; auto. apply Nat.eqb_eq. auto.
  - rewrite in_map_iff. split.
    + intros ([a b] & Eq & I). apply in_prod_iff in I as [Ia Ib]. exists a, b. rewrite <- IHp1, <- IHp2. auto.
    + intros (a & b & Ia & Ib & Eq). exists (a, b). split; auto. apply in_prod_iff. rewrite IHp1, IHp2. auto.
  - rewrite filter_In, IHp. tauto.
  - rewrite filter_In, IHp1, forallb_forall. split; intros [H1 H2]; split; auto.
    + intros (b & Ib & C). apply IHp2 in Ib. apply H2 in Ib. rewrite C in Ib. discriminate.
    + intros b Ib. apply IHp2 in Ib. destruct (condition (v ++ b)) eqn:C; auto. exfalso. eauto.
  - assert (Set_of : forall u e, In e (set_in stream of0 condition u) <->
      In e stream /\ template e = of0 /\ condition (u ++ [e]) = true).
    { intros u e. unfold set_in. rewrite !filter_In, Nat.eqb_eq. tauto. }
    rewrite in_map_iff. split.
    + intros (u & <- & I). apply IHp in I. exists u, (set_in stream of0 condition u). auto.
    + intros (u & s & I & -> & H). apply IHp in I. exists u. split; auto. apply with_set_same. intros e.
      rewrite Set_of, H. tauto.
Qed.

Fixpoint width (p : pattern) : nat :=
  match p with
  | Binding _ => 1
  | Conjunction p q => width p + width q
  | Filter p _ => width p
  | Negation p _ _ => width p
  | Collection p _ _ => width p
  end.

Lemma evaluate_width : forall stream p v, In v (evaluate stream p) -> length v = width p.
Proof.
  intros stream p. induction p; simpl; intros v I.
  - unfold of in I. apply in_map_iff in I as (e & <- & _). auto.
  - apply in_map_iff in I as ([a b] & <- & I). apply in_prod_iff in I as [Ia Ib]. simpl. rewrite app_length. auto.
  - apply filter_In in I as [I _]. auto.
  - apply filter_In in I as [I _]. auto.
  - apply in_map_iff in I as (u & <- & I). rewrite with_set_length. auto.
Qed.

Lemma NoDup_map_inj : forall A B (f : A -> B) l, (forall x y, In x l -> In y l -> f x = f y -> x = y) -> NoDup l ->
  NoDup (map f l).
Proof.
  induction l as [|a l IH]; simpl; intros I N; constructor; inversion N; subst.
  - intros J. apply in_map_iff in J as (x & Eq & J). apply I in Eq; auto. congruence.
  - apply IH; auto.
Qed.

Lemma NoDup_app_disjoint : forall A (a b : list A), NoDup a -> NoDup b -> (forall x, In x a -> ~ In x b) -> NoDup (a
  ++ b).
Proof.
  induction a as [|x a IH]; simpl; intros b Na Nb D; auto. inversion Na; subst. constructor.
  - rewrite in_app_iff. intros [H|H]; auto. apply (D x); auto.
  - apply IH; auto.
Qed.

Lemma NoDup_list_prod : forall A B (a : list A) (b : list B), NoDup a -> NoDup b -> NoDup (list_prod a b).
Proof.
  induction a as [|x a IH]; simpl; intros b Na Nb; [constructor|]. inversion Na; subst. apply NoDup_app_disjoint; auto.
  - apply NoDup_map_inj; auto. intros y z _ _ Eq. congruence.
  - intros [y z] I J. apply in_map_iff in I as (z' & Eq & _). inversion Eq; subst. apply in_prod_iff in J as [J _].
    contradiction.
Qed.

(* A set of events has a set of values: each is counted once (specification: mapping-values). *)
Theorem of_distinct_events_the_values_are_distinct : forall stream p, NoDup stream -> NoDup (evaluate stream p).
Proof.
  intros stream p N. induction p; simpl.
  - unfold of. apply NoDup_map_inj; [intros; congruence|]. apply NoDup_filter. auto.
  - apply NoDup_map_inj; [|apply NoDup_list_prod; auto]. intros [a b] [c d] I J Eq. simpl in Eq.
    apply in_prod_iff in I as [Ia Ib]. apply in_prod_iff in J as [Jc Jd].
    apply evaluate_width in Ia, Jc. assert (L : length a = length c) by congruence. clear - Eq L.
    revert c Eq L. induction a as [|x a IH]; destruct c as [|y c]; simpl; intros; try discriminate; [congruence|].
    injection Eq as -> Eq. apply IH in Eq; [congruence|lia].
  - apply NoDup_filter. auto.
  - apply NoDup_filter. auto.
  - apply NoDup_map_inj; auto. intros u v _ _. apply with_set_same_event.
Qed.

(* ---- Rules and programs -------------------------------------------------------------------------------------------
   *)

(* A further pattern of a rule: the conditions on its event alone, those that speak of earlier events too (on the values
   of the earlier positive patterns with this event behind them), and its window from each of them, in milliseconds. *)
Record link := Link {
  negated : bool; its_template : nat; own : event -> bool; joint : partial -> bool; windows : list (Z * Z) }.
(* The sets of a rule have windows from all its positive events, and stand behind all its other patterns. *)
Record emission := Emission {
  emits : nat; generate : partial -> option event; at_bounds : list Z -> Z; lag : Z }.
Record rule := Rule {
  first_template : nat; first_own : event -> bool; links : list link; sets : list link;
  having : option (partial -> bool); emissions : list emission }.

Definition within (ws : list (Z * Z)) (v : partial) : bool :=
  fits (times (firstn (length ws) v)) (map fst ws) (map snd ws) (hd 0 (times (skipn (length ws) v))).
Definition first_own_of (own : event -> bool) (v : partial) : bool := match v with e :: _ => own e | [] => false end.
Definition single (n : nat) (own : event -> bool) : pattern := Filter (Binding n) (first_own_of own).

Definition beside (l : link) (v : partial) : bool :=
  first_own_of (own l) (skipn (length (windows l)) v) && (joint l v && within (windows l) v).

(* Specification: meaning-rule, several-negations. *)
Definition linked (p : pattern) (l : link) : pattern :=
  if negated l
  then Negation p (Binding (its_template l)) (beside l)
  else Filter (Conjunction p (single (its_template l) (own l))) (fun v => joint l v && within (windows l) v).
Definition collected (p : pattern) (l : link) : pattern := Collection p (its_template l) (beside l).
Definition filtered (h : option (partial -> bool)) (p : pattern) : pattern :=
  match h with Some condition => Filter p condition | None => p end.
Definition pattern_of (r : rule) : pattern :=
  filtered (having r) (fold_left collected (sets r)
    (fold_left linked (links r) (single (first_template r) (first_own r)))).

(* Specification: strata-in-order, rules-independent. *)
Definition emitted_by (values : list partial) (m : emission) : list event :=
  flat_map (fun v => match generate m v with Some e => [e] | None => [] end) values.
Definition emitted_events (stream : list event) (r : rule) : list event :=
  flat_map (emitted_by (evaluate stream (pattern_of r))) (emissions r).
Record stratum := Stratum { templates : list nat; rules : list rule }.
Definition program := list stratum.
Fixpoint results (p : program) (stream : list event) : list (list partial) :=
  match p with
  | [] => []
  | s :: above =>
      map (fun r => evaluate stream (pattern_of r)) (rules s)
      ++ results above (stream ++ flat_map (emitted_events stream) (rules s))
  end.

End Algebra.
