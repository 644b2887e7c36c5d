(* Every kind of node: what it means, that it keeps promises, and that it sends what it means once its inputs have
   ended. *)
From Parte Require Export SetCorrect.

Section NodesCorrect.
Context {E : Events}.

(* What a node makes of all that comes to it, slot by slot: the algebra, node by node (specification: meaning-binding,
   meaning-conjunction, meaning-filter, meaning-negation, emitted-and-external). *)
Definition emitted (generate : partial -> option event) (p : partial) : list partial :=
  match generate p with Some e => [[e]] | None => [] end.
Definition value_of (k : kind) (input : nat -> list partial) : list partial :=
  match k with
  | Entry n slots => filter (of_template n) (flat_map input (seq 0 slots))
  | Alpha condition => filter (meets condition) (input 0%nat)
  | TwoInput false minima maxima condition => joined minima maxima condition (input 0%nat) (input 1%nat)
  | TwoInput true minima maxima condition =>
      filter (undefeated minima maxima condition (input 1%nat)) (input 0%nat)
  | Collecting minima maxima condition => map (collection minima maxima condition (input 1%nat)) (input 0%nat)
  | Filtering _ condition => filter condition (input 0%nat)
  | Production generate _ _ => flat_map (emitted generate) (input 0%nat)
  | Terminal => input 0%nat
  end.

(* Which kinds of node there may be, by the widths of what comes to their slots. Of `at` it asks what the machine asks
   (specification: production-bound): that it is monotone, puts no event earlier than the bound, and lags by a known
     time. *)
Definition in_reach (reach : Z) (l : list Z) := Forall (fun m => - reach <= m <= reach) l.
Definition monotone (width : nat) (at_bounds : list Z -> Z) : Prop :=
  forall a b, length a = width -> below a b -> at_bounds a <= at_bounds b.
Definition well_formed (reach : Z) (k : kind) (widths : list nat) : Prop :=
  match k with
  | Entry _ slots => (0 < slots)%nat /\ widths = repeat 1%nat slots
  | Alpha _ => widths = [1%nat]
  | TwoInput _ minima maxima _ | Collecting minima maxima _ =>
      widths = [length minima; 1%nat] /\ minima <> [] /\ length maxima = length minima /\
      in_reach reach minima /\ in_reach reach maxima
  | Filtering w _ => widths = [w]
  | Production generate at_bounds lag => exists w, widths = [w] /\ 0 <= lag /\ monotone w at_bounds
      /\ (forall p e, length p = w -> generate p = Some e -> at_bounds (times p) <= time e)
      /\ (forall x b, length b = w -> Forall (fun y => x <= y) b -> x - lag <= at_bounds b)
  | Terminal => exists w, widths = [w]
  end.
Definition width_of (k : kind) : nat :=
  match k with
  | TwoInput negated minima _ _ => if negated then length minima else S (length minima)
  | Collecting minima _ _ => length minima
  | Filtering w _ => w
  | _ => 1%nat
  end.
Definition lag_of (k : kind) : Z := match k with Production _ _ lag => lag | _ => 0 end.
Definition is_terminal (k : kind) : bool := match k with Terminal => true | _ => false end.

Definition keeps_promises (widths : list nat) (l : log) : Prop :=
  Forall (fun x => fst x < length widths)%nat l /\
  forall slot w, nth_error widths slot = Some w -> honest w (taken slot l).
Definition all_ended (x : Z) (widths : list nat) (l : log) : Prop :=
  forall slot, (slot < length widths)%nat -> ended x (taken slot l).
Definition inputs (l : log) (slot : nat) : list partial := payloads (taken slot l).
Definition no_strangers (k : kind) (l : log) : Prop :=
  match k with Entry n _ => Forall (fun p => of_template n p = true) (payloads (map snd l)) | _ => True end.

(* ---- One slot -------------------------------------------------------------------------------------------------- *)

Lemma one_slot : forall l : log, Forall (fun x => fst x < 1)%nat l -> map snd l = taken 0 l.
Proof.
  unfold taken. induction 1 as [|[s t] l]; simpl; auto. simpl in H. replace s with 0%nat by lia. simpl. congruence.
Qed.

Lemma not_ended_nil : forall x, ~ ended x [].
Proof. intros x (b & t & Eq & _). destruct b; discriminate. Qed.

(* Nodes that answer each token by one, and keep nothing. *)
Definition answered (f : token -> token) (k : kind) := forall d slot t, activate k d slot t = (d, [f t]).
Lemma run_answered : forall f k, answered f k -> forall l d, run k d l = (d, map f (map snd l)).
Proof. intros f k A. induction l as [|[s t] l IH]; simpl; intros; auto. rewrite A, IH. auto. Qed.

Lemma honest_map : forall f w w' l,
  (forall t, honest w [t] -> honest w' [f t]) ->
  (forall t t' p p', payload t' = Some p -> payload (f t') = Some p' -> length (bounds t) = w -> length p = w ->
    kept_by (bounds t) p -> kept_by (bounds (f t)) p') ->
  (forall t, payload t = None -> payload (f t) = None) ->
  honest w l -> honest w' (map f l).
Proof.
  intros f w w' l H1 H2 H3. induction l as [|t l IH]; simpl; auto. intros (A & B & C & D).
  destruct (H1 t) as (A' & B' & _); [split; [exact A|split; [exact B|split; [constructor|exact I]]]|]. repeat split;
    auto.
  pose proof (honest_widths _ _ D) as W. clear IH D.
  induction l as [|t' l IHl]; simpl in *; auto. unfold payloads in *. simpl in *. apply Forall_app in C as [C1 C2].
  apply Forall_app in W as [W1 W2]. apply Forall_app; split; [|apply IHl; auto].
  destruct (payload t') as [p|] eqn:P; [|rewrite H3; auto].
  destruct (payload (f t')) as [p'|] eqn:P'; [|auto].
  inversion C1; inversion W1; subst. constructor; [|auto]. apply (H2 t t' p p'); auto.
Qed.

Lemma ended_map : forall f x x' l, (forall t, Forall (fun b => x <= b) (bounds t) -> In t l -> Forall (fun b => x' <=
  b) (bounds (f t))) ->
  ended x l -> ended x' (map f l).
Proof.
  intros f x x' l H (b & t & Eq & F). subst. exists (map f b), (f t). rewrite map_app. simpl. split; auto.
  apply H; auto. apply in_app_iff. simpl. auto.
Qed.

Definition alpha_answer (c : event -> bool) (t : token) :=
  Token (bounds t) (match payload t with Some p => if meets c p then Some p else None | None => None end).
Definition filter_answer (c : partial -> bool) (t : token) :=
  Token (bounds t) (match payload t with Some p => if c p then Some p else None | None => None end).
Definition production_answer (generate : partial -> option event) (at_bounds : list Z -> Z) (t : token) :=
  Token [at_bounds (bounds t)]
    (match payload t with Some p => match generate p with Some e => Some [e] | None => None end | None => None end).

Lemma alpha_payloads : forall c l, payloads (map (alpha_answer c) l) = filter (meets c) (payloads l).
Proof.
  unfold payloads. induction l as [|t l IH]; simpl; auto. rewrite filter_app, <- IH.
  destruct (payload t) as [p|]; simpl; auto. destruct (meets c p); auto.
Qed.
Lemma filter_payloads : forall c l, payloads (map (filter_answer c) l) = filter c (payloads l).
Proof.
  unfold payloads. induction l as [|t l IH]; simpl; auto. rewrite filter_app, <- IH.
  destruct (payload t) as [p|]; simpl; auto. destruct (c p); auto.
Qed.
Lemma production_payloads : forall g a l, payloads (map (production_answer g a) l) = flat_map (emitted g) (payloads l).
Proof.
  unfold payloads. induction l as [|t l IH]; simpl; auto. rewrite flat_map_app, <- IH.
  destruct (payload t) as [p|]; simpl; auto. unfold emitted. destruct (g p); auto.
Qed.

(* ---- Entry nodes ------------------------------------------------------------------------------------------------ *)

Lemma replaced_length : forall l i b, length (replaced l i b) = length l.
Proof. induction l; destruct i; simpl; auto. Qed.
Lemma replaced_same : forall l i b, (i < length l)%nat -> nth i (replaced l i b) 0 = b.
Proof. induction l; destruct i; simpl; intros; try lia; auto. apply IHl. lia. Qed.
Lemma replaced_other : forall l i j b, i <> j -> nth j (replaced l i b) 0 = nth j l 0.
Proof. induction l; destruct i, j; simpl; intros; auto; congruence. Qed.

Lemma flat_map_same : forall A B (f g : A -> list B) L, (forall a, In a L -> f a = g a) -> flat_map f L = flat_map g L.
Proof. induction L as [|a L IH]; simpl; intros H; auto. rewrite (H a), IH; auto. Qed.

Lemma flat_map_once : forall A s (x : A) f L, NoDup L -> In s L ->
  Permutation (flat_map (fun s' => if Nat.eqb s s' then x :: f s' else f s') L) (x :: flat_map f L).
Proof.
  induction L as [|a L IH]; simpl; intros N I; [contradiction|]. inversion N; subst.
  destruct (Nat.eqb s a) eqn:Q.
  - apply Nat.eqb_eq in Q. subst. simpl. apply perm_skip. apply Permutation_app_head.
    rewrite (flat_map_same _ _ _ f); auto. intros b Hb. destruct (Nat.eqb a b) eqn:Q; auto. apply Nat.eqb_eq in Q.
      congruence.
  - apply Nat.eqb_neq in Q. destruct I as [I|I]; [congruence|]. rewrite IH by auto. symmetry. apply Permutation_middle.
Qed.

Lemma by_slots : forall n (l : log), Forall (fun x => fst x < n)%nat l ->
  Permutation (map snd l) (flat_map (fun s => taken s l) (seq 0 n)).
Proof.
  intros n. unfold taken. induction 1 as [|[s t] l]; simpl.
  - induction (seq 0 n); simpl; auto.
  - rewrite IHForall. simpl in H.
    rewrite <- (flat_map_once _ s t (fun s' => map snd (filter (fun x => Nat.eqb (fst x) s') l)) (seq 0 n)).
    + erewrite flat_map_ext; [reflexivity|]. intros a. simpl. destruct (Nat.eqb s a); auto.
    + apply seq_NoDup.
    + apply in_seq. lia.
Qed.

Lemma payloads_flat_map : forall A (f : A -> list token) L, payloads (flat_map f L) = flat_map (fun a => payloads (f
  a)) L.
Proof. induction L; simpl; auto. rewrite payloads_app, IHL. auto. Qed.
Lemma payloads_permutation : forall l l', Permutation l l' -> Permutation (payloads l) (payloads l').
Proof. intros. unfold payloads. apply Permutation_flat_map. auto. Qed.

Section Entry.
Variables (n slots : nat).
Hypothesis some : (0 < slots)%nat.

Lemma entry_payloads : forall l d, payloads (snd (run (Entry n slots) d l)) = filter (of_template n) (payloads (map
  snd l)).
Proof.
  unfold payloads. induction l as [|[s t] l IH]; simpl; intros; auto. unfold entry_step.
  destruct (payload t) as [p|] eqn:P; simpl.
  - destruct (of_template n p) eqn:T; simpl.
    + specialize (IH (Data (replaced (left_bounds d) s (only (bounds t))) (right_bound d) (left d) (right d) (reported
      d))).
      destruct (run _ _ l). simpl in *. congruence.
    + specialize (IH d). destruct (run _ d l). simpl in *. auto.
  - specialize (IH (Data (replaced (left_bounds d) s (only (bounds t))) (right_bound d) (left d) (right d) (reported
    d))).
    destruct (run _ _ l). simpl in *. auto.
Qed.

Definition entry_ready (d : data) (l : log) := length (left_bounds d) = slots /\
  forall s, (s < slots)%nat -> Forall (kept_by [nth s (left_bounds d) 0]) (payloads (taken s l)).

Lemma entry_honest : forall l d, keeps_promises (repeat 1%nat slots) l -> entry_ready d l ->
  honest 1 (snd (run (Entry n slots) d l)).
Proof.
  induction l as [|[s t] l IH]; intros d [Hs Hh] [Lb K]; simpl; auto.
  rewrite repeat_length in Hs. assert (Hs1 := Forall_inv Hs). assert (Hs2 := Forall_inv_tail Hs). simpl in Hs1.
  assert (Hw : forall slot, (slot < slots)%nat -> nth_error (repeat 1%nat slots) slot = Some 1%nat).
  { intros. apply nth_error_repeat. auto. }
  assert (Kp : keeps_promises (repeat 1%nat slots) l).
  { split; [rewrite repeat_length; auto|]. intros slot w Hslot. specialize (Hh slot w Hslot). unfold taken in *. simpl
    in Hh.
    destruct (Nat.eqb s slot); auto. simpl in Hh. tauto. }
  assert (St : forall s', (s' < slots)%nat -> s' <> s -> taken s' ((s, t) :: l) = taken s' l).
  { intros. unfold taken. simpl. destruct (Nat.eqb s s') eqn:Q; auto. apply Nat.eqb_eq in Q. congruence. }
  assert (Ss : taken s ((s, t) :: l) = t :: taken s l) by (unfold taken; simpl; rewrite Nat.eqb_refl; auto).
  pose proof (Hh s 1%nat (Hw s Hs1)) as Ht. rewrite Ss in Ht. simpl in Ht. destruct Ht as (Ht1 & Ht2 & Ht3 & Ht4).
  assert (Go : honest 1 ([Token [lowest (replaced (left_bounds d) s (only (bounds t)))] (payload t)] ++
     snd (run (Entry n slots) (Data (replaced (left_bounds d) s (only (bounds t))) (right_bound d) (left d) (right d)
       (reported d)) l))).
  { set (d' := Data (replaced (left_bounds d) s (only (bounds t))) (right_bound d) (left d) (right d) (reported d)).
    assert (Rd : entry_ready d' l).
    { split; [simpl; rewrite replaced_length; auto|]. intros s' Hs'. simpl.
      destruct (Nat.eq_dec s' s) as [->|N].
      - rewrite replaced_same by lia. rewrite singleton by auto. auto.
      - rewrite replaced_other by auto. specialize (K s' Hs'). rewrite St in K by auto. auto. }
    simpl. repeat split; auto.
    - rewrite entry_payloads. apply Forall_filter. destruct Rd as [R1 R2].
      pose proof (by_slots slots l Hs2) as B. apply payloads_permutation in B. rewrite payloads_flat_map in B.
      rewrite B. apply Forall_flat_map. apply Forall_forall. intros s' Hin. apply in_seq in Hin.
      assert (Hlt : (s' < slots)%nat) by lia.
      eapply Forall_impl; [|apply (R2 s' Hlt)]. intros p Hp. eapply below_trans; [|exact Hp]. constructor;
        [|constructor].
      assert (NE : left_bounds d' <> []) by (intro Z; rewrite Z in R1; simpl in R1; lia).
      assert (L : lowest (left_bounds d') <= lowest (left_bounds d')) by lia. apply le_lowest in L; auto.
      rewrite Forall_forall in L. apply L. apply nth_In. simpl in *. lia. }
  unfold entry_step. destruct (payload t) as [p|] eqn:P; [destruct (of_template n p) eqn:T|]; simpl in Go |- *.
  - destruct (run _ _ l). simpl in *. auto.
  - assert (Rd : entry_ready d l).
    { split; auto. intros s' Hs'. specialize (K s' Hs'). unfold taken in K. simpl in K. unfold taken.
      destruct (Nat.eqb s s'); auto. unfold payloads in K. simpl in K. apply Forall_app in K. tauto. }
    specialize (IH d Kp Rd). destruct (run _ d l). simpl in *. auto.
  - destruct (run _ _ l). simpl in *. auto.
Unshelve. all: auto.
Qed.

Lemma entry_after : forall l d, Forall (fun x => fst x < slots)%nat l -> length (left_bounds d) = slots ->
  Forall (fun p => of_template n p = true) (payloads (map snd l)) ->
  (forall s w, nth_error (repeat 1%nat slots) s = Some w -> honest w (taken s l)) ->
  let '(d', o) := run (Entry n slots) d l in
  length (left_bounds d') = slots /\
  (forall s x, (s < slots)%nat -> ended x (taken s l) -> x <= nth s (left_bounds d') 0) /\
  (forall s, taken s l = [] -> nth s (left_bounds d') 0 = nth s (left_bounds d) 0) /\
  (l <> [] -> exists before t, o = before ++ [t] /\ bounds t = [lowest (left_bounds d')]).
Proof.
  induction l as [|[s t] l IH]; intros d Hs Lb Ty Hh.
  - simpl. repeat split; auto. intros s x _ H. contradiction (not_ended_nil _ H). intros N; contradiction.
  - assert (Hs1 := Forall_inv Hs). assert (Hs2 := Forall_inv_tail Hs). simpl in Hs1. simpl. unfold entry_step.
    assert (Stranger : match payload t with Some p => negb (of_template n p) | None => false end = false).
    { unfold payloads in Ty. simpl in Ty. apply Forall_app in Ty as [Ty _]. destruct (payload t); auto. inversion Ty;
      subst. rewrite H1. auto. }
    rewrite Stranger. set (d' := Data (replaced (left_bounds d) s (only (bounds t))) (right_bound d) (left d) (right
      d) (reported d)).
    assert (Hl : Forall (fun p => of_template n p = true) (payloads (map snd l))).
    { unfold payloads in Ty. simpl in Ty. apply Forall_app in Ty. tauto. }
    assert (Hh' : forall s w, nth_error (repeat 1%nat slots) s = Some w -> honest w (taken s l)).
    { intros s' w Hs'. specialize (Hh s' w Hs'). unfold taken in *. simpl in Hh. destruct (Nat.eqb s s'); auto. simpl
      in Hh. tauto. }
    assert (Ld : length (left_bounds d') = slots) by (simpl; rewrite replaced_length; auto).
    specialize (IH d' Hs2 Ld Hl Hh'). destruct (run (Entry n slots) d' l) as [d'' o] eqn:R.
    destruct IH as (I1 & I2 & I3 & I4). split; [auto|split; [|split]].
    + intros s' x Hs' Hx. unfold taken in Hx. simpl in Hx. destruct (Nat.eqb s s') eqn:Q.
      * apply Nat.eqb_eq in Q. subst s'. simpl in Hx. destruct (taken s l) as [|t1 r1] eqn:T.
        -- unfold taken in T. rewrite T in Hx. destruct Hx as (b & t' & Eq & F).
           destruct b as [|b0 b]; inversion Eq; subst; [|destruct b; discriminate].
           rewrite (I3 s T). simpl. rewrite replaced_same by lia.
           specialize (Hh s 1%nat (nth_error_repeat _ Hs')). unfold taken in Hh. simpl in Hh. rewrite Nat.eqb_refl in
             Hh. simpl in Hh.
           destruct Hh as (Hh & _). rewrite <- (singleton _ Hh) in F. inversion F; auto.
        -- apply I2; auto. rewrite T. unfold taken in T. rewrite T in Hx. destruct Hx as (b & t' & Eq & F).
           destruct b as [|b0 b]; inversion Eq; subst. exists b, t'. auto.
      * apply I2; auto.
    + intros s' T. unfold taken in T. simpl in T. destruct (Nat.eqb s s') eqn:Q; [discriminate|].
      rewrite I3; auto. simpl. apply Nat.eqb_neq in Q. apply replaced_other; auto.
    + intros _. destruct l as [|x l].
      * simpl in R. inversion R; subst. exists [], (Token [lowest (left_bounds d')] (payload t)). auto.
      * destruct I4 as (before & t' & Eq & Hb); [discriminate|].
        exists ([Token [lowest (replaced (left_bounds d) s (only (bounds t)))] (payload t)] ++ before), t'. rewrite
          Eq, app_assoc. auto.
Qed.
End Entry.

Lemma reported_by_a_terminal : forall l d, reported (fst (run Terminal d l)) = reported d ++ payloads (map snd l).
Proof.
  induction l as [|[s t] l IH]; intros d; [symmetry; apply app_nil_r|]. simpl.
  unfold terminal_step. set (d' := Data _ _ _ _ _). specialize (IH d'). destruct (run Terminal d' l). simpl in *.
  rewrite IH. unfold payloads. simpl. destruct (payload t); simpl; auto. rewrite <- app_assoc. auto.
Qed.

(* ---- All kinds -------------------------------------------------------------------------------------------------- *)

Section Kinds.
Variable reach : Z.

(* PARTE/ENTRY*, PARTE/ALPHA-*, PARTE/JOIN-*, PARTE/NOT-*, PARTE/PROD* and PARTE/TERM (specification:
   bounds-on-later-payloads). *)
Theorem a_node_keeps_its_promises : forall k widths l,
  well_formed reach k widths -> is_terminal k = false -> keeps_promises widths l ->
  honest (width_of k) (snd (run k (initial k) l)).
Proof.
  intros k widths l W T [Hs Hh]. destruct k as [n slots|c|negated minima maxima c|minima maxima c|n c|g a lag|];
    simpl in W, T |- *; try
    discriminate.
  - destruct W as [S ->]. apply entry_honest; auto. split; auto. split; [apply repeat_length|].
    intros s Hlt. simpl. pose proof (Hh s 1%nat (nth_error_repeat _ Hlt)) as H. apply honest_widths in H.
    eapply Forall_impl; [|exact H]. intros p Hp. simpl in Hp.
    rewrite nth_indep with (d' := - infinity) by (rewrite repeat_length; auto). rewrite nth_repeat.
    pose proof (initial_bounds_kept p) as K. rewrite Hp in K. exact K.
  - subst. rewrite (run_answered (alpha_answer c)) by (intros ? ? ?; auto). simpl. rewrite one_slot by auto.
    apply honest_map with 1%nat; auto.
    + intros t (A & B & _). simpl. repeat split; auto. destruct (payload t); auto. destruct (meets c p); auto.
    + intros t t' p p' P P' _ _ K. simpl in *. rewrite P in P'. destruct (meets c p); inversion P'; subst; auto.
    + intros t P. simpl. rewrite P. auto.
  - destruct W as (-> & N & Sw & _). apply (a_two_input_node_keeps_its_promises minima maxima c Sw negated); auto.
  - destruct W as (-> & N & Sw & _). apply (a_set_node_keeps_its_promises minima maxima c Sw); auto.
  - subst. rewrite (run_answered (filter_answer c)) by (intros ? ? ?; auto). simpl. rewrite one_slot by auto.
    apply honest_map with n; auto.
    + intros t (A & B & _). simpl. repeat split; auto. destruct (payload t) as [p|]; auto. destruct (c p); auto.
    + intros t t' p p' P P' _ _ K. simpl in *. rewrite P in P'. destruct (c p); inversion P'; subst; auto.
    + intros t P. simpl. rewrite P. auto.
  - destruct W as (w & -> & _ & M & G & _). rewrite (run_answered (production_answer g a)) by (intros ? ? ?; auto).
    simpl. rewrite one_slot by auto. apply honest_map with w; auto.
    + intros t _. simpl. repeat split; auto. destruct (payload t); auto. destruct (g p); auto.
    + intros t t' p p' P P' Lb Lp K. simpl in *. rewrite P in P'. destruct (g p) as [e|] eqn:Ge; [|discriminate].
      injection P' as <-.
      unfold kept_by, times. simpl. constructor; [|constructor]. pose proof (M _ _ Lb K). pose proof (G _ _ Lp Ge). lia.
    + intros t P. simpl. rewrite P. auto.
Qed.

(* What a node holds back it holds back for its right side; of the end of its left side nothing that it sends
   depends. *)
Lemma a_right_end_empties_the_left : forall k minima maxima c l x,
  (k = TwoInput true minima maxima c \/ k = Collecting minima maxima c) -> well_formed reach k [length minima; 1%nat] ->
  keeps_promises [length minima; 1%nat] l -> horizon + reach < x -> ended x (taken 1 l) ->
  left (fst (run k (initial k) l)) = [].
Proof.
  intros k minima maxima c l x Hk W [Hs Hh] Far En.
  assert (Wf : minima <> [] /\ length maxima = length minima /\ in_reach reach maxima).
  { destruct Hk as [-> | ->]; simpl in W; tauto. }
  destruct Wf as (N & Sw & R2).
  assert (H0 : honest (length minima) (taken 0 l)) by (apply (Hh 0%nat); auto).
  assert (H1 : honest 1 (taken 1 l)) by (apply (Hh 1%nat); auto).
  assert (After : Forall (fun p => live_left minima maxima (right_bound (fst (run k (initial k) l))) p = true)
      (left (fst (run k (initial k) l))) /\
    Forall (fun p => length p = length minima) (left (fst (run k (initial k) l))) /\
    x <= right_bound (fst (run k (initial k) l))).
  { destruct Hk as [-> | ->].
    - destruct (initial_ready minima maxima c true l H0 H1 Hs) as [Rd Wd].
      pose proof (two_input_after minima maxima c Sw true l _ Rd Wd ltac:(split; constructor)) as A.
      unfold node in A. destruct (run _ _ l) as [d o]. simpl. unfold only_live, stored_widths in A. intuition.
    - destruct (collect_initial_ready minima maxima c l H0 H1 Hs) as [Rd Wd].
      pose proof (collect_after minima maxima c Sw l _ Rd Wd ltac:(split; constructor)) as A.
      unfold set_node in A. destruct (run _ _ l) as [d o]. simpl. unfold only_needed, stored_widths in A. intuition. }
  destruct After as (Ll & Wl & Rb). destruct (left _) as [|p h]; auto.
  inversion Ll as [|? ? V _]; inversion Wl; subst. unfold live_left, may_be_met, is_stale in V.
  apply andb_true_iff in V as [_ V]. apply negb_true_iff, Z.ltb_ge in V.
  assert (C : closes maxima p <= horizon + reach); [|lia]. apply closes_le.
  - intro M. rewrite M in Sw. apply N, length_zero_iff_nil. auto.
  - rewrite times_length. congruence.
  - apply times_bounded.
  - eapply Forall_impl; [|exact R2]. simpl. intros. lia.
Qed.

Definition holds_back (k : kind) : bool := match k with TwoInput true _ _ _ | Collecting _ _ _ => true | _ => false end.
(* PARTE/ENTRY*, PARTE/ALPHA-*, PARTE/JOIN-*, PARTE/NOT-*, PARTE/PROD* and PARTE/TERM: what a node sends in all. *)
Theorem a_node_whose_right_has_ended_sent_exactly_its_value : forall k widths l x,
  well_formed reach k widths -> keeps_promises widths l -> horizon + reach < x ->
  (holds_back k = true -> ended x (taken 1 l)) ->
  Permutation (if is_terminal k then reported (fst (run k (initial k) l)) else payloads (snd (run k (initial k) l)))
              (value_of k (inputs l)).
Proof.
  intros k widths l x W [Hs Hh] Far En. destruct k as [n slots|c|negated minima maxima c|minima maxima c|n c|g a
    lag|]; simpl in W |- *.
  - destruct W as [S ->]. rewrite entry_payloads. apply filter_permutation. rewrite repeat_length in Hs.
    rewrite (payloads_permutation _ _ (by_slots slots l Hs)), payloads_flat_map. reflexivity.
  - subst. rewrite (run_answered (alpha_answer c)) by (intros ? ? ?; auto). simpl. rewrite one_slot by auto.
    rewrite alpha_payloads. reflexivity.
  - destruct W as (-> & N & Sw & R1 & R2).
    assert (H0 : honest (length minima) (taken 0 l)) by (apply (Hh 0%nat); auto).
    assert (H1 : honest 1 (taken 1 l)) by (apply (Hh 1%nat); auto).
    destruct (initial_ready minima maxima c negated l H0 H1 Hs) as [Rd _].
    destruct negated.
    + pose proof (a_negation_releases_or_keeps_exactly_what_is_undefeated minima maxima c N Sw l Rd) as P.
      pose proof (a_right_end_empties_the_left _ minima maxima c l x (or_introl eq_refl)
        ltac:(simpl; auto) (conj Hs Hh) Far (En eq_refl)) as Z.
      unfold node in P. rewrite Z, app_nil_r in P. exact P.
    + apply (a_join_sends_exactly_the_pairs_that_match minima maxima c N Sw l Rd).
  - destruct W as (-> & N & Sw & R1 & R2).
    assert (H0 : honest (length minima) (taken 0 l)) by (apply (Hh 0%nat); auto).
    assert (H1 : honest 1 (taken 1 l)) by (apply (Hh 1%nat); auto).
    destruct (collect_initial_ready minima maxima c l H0 H1 Hs) as [Rd _].
    pose proof (a_set_node_sends_or_keeps_each_match_with_its_set minima maxima c N Sw l Rd) as P.
    pose proof (a_right_end_empties_the_left _ minima maxima c l x (or_intror eq_refl)
      ltac:(simpl; auto) (conj Hs Hh) Far (En eq_refl)) as Z.
    unfold set_node in P. rewrite Z, app_nil_r in P. exact P.
  - subst. rewrite (run_answered (filter_answer c)) by (intros ? ? ?; auto). simpl. rewrite one_slot by auto.
    rewrite filter_payloads. reflexivity.
  - destruct W as (w & -> & _). rewrite (run_answered (production_answer g a)) by (intros ? ? ?; auto).
    simpl. rewrite one_slot by auto. rewrite production_payloads. reflexivity.
  - destruct W as (w & ->). unfold inputs. rewrite <- one_slot by auto.
    rewrite reported_by_a_terminal. simpl. reflexivity.
Qed.

(* PARTE/ENTRY*, PARTE/ALPHA-*, PARTE/JOIN-*, PARTE/NOT-*, PARTE/PROD* and PARTE/TERM: the same once all has ended. *)
Theorem a_node_that_has_ended_sent_exactly_its_value : forall k widths l x,
  well_formed reach k widths -> keeps_promises widths l -> horizon + reach < x -> x <= infinity -> all_ended x widths
    l ->
  Permutation (if is_terminal k then reported (fst (run k (initial k) l)) else payloads (snd (run k (initial k) l)))
              (value_of k (inputs l)).
Proof.
  intros k widths l x W K Far _ En. eapply a_node_whose_right_has_ended_sent_exactly_its_value; eauto. intros Hb.
  apply En. destruct k as [| |[|]| | | |]; try discriminate; destruct W as (-> & _); simpl; lia.
Qed.

(* PARTE/ENTRY*, PARTE/ALPHA-*, PARTE/JOIN-*, PARTE/NOT-*, PARTE/PROD* and PARTE/TERM: an end is passed on. *)
Theorem a_node_that_has_ended_ends_what_it_sends : forall k widths l x,
  well_formed reach k widths -> is_terminal k = false -> keeps_promises widths l -> no_strangers k l ->
  horizon + reach < x -> x <= infinity -> all_ended x widths l -> ended (x - lag_of k) (snd (run k (initial k) l)).
Proof.
  intros k widths l x W T [Hs Hh] St Far Fin En. destruct k as [n slots|c|negated minima maxima c|minima maxima c|n
    c|g a lag|]; simpl in W,
    T, St |- *; try discriminate.
  - destruct W as [S ->]. rewrite repeat_length in Hs.
    pose proof (entry_after n slots S l (initial (Entry n slots)) Hs (repeat_length _ _) St Hh) as A.
    simpl in A. destruct (run (Entry n slots) _ l) as [d o]. destruct A as (A1 & A2 & _ & A4).
    destruct A4 as (b & t & Eq & Hb).
    { intro Z. subst l. apply (not_ended_nil x). apply (En 0%nat). rewrite repeat_length. auto. }
    exists b, t. split; auto. rewrite Hb. constructor; [|constructor]. rewrite Z.sub_0_r.
    apply le_lowest. intro Z. rewrite Z in A1. simpl in A1. lia.
    apply Forall_forall. intros y Hy. apply In_nth with (d := 0) in Hy as (i & Hi & <-). apply A2; [lia|].
    apply En. rewrite repeat_length. lia.
  - subst. rewrite (run_answered (alpha_answer c)) by (intros ? ? ?; auto). simpl. rewrite one_slot by auto.
    rewrite Z.sub_0_r. apply ended_map with x; auto.
  - destruct W as (-> & N & Sw & R1 & R2).
    assert (H0 : honest (length minima) (taken 0 l)) by (apply (Hh 0%nat); auto).
    assert (H1 : honest 1 (taken 1 l)) by (apply (Hh 1%nat); auto).
    assert (X1 : Forall (fun m => - reach <= m) minima) by (eapply Forall_impl; [|exact R1]; simpl; intros; lia).
    assert (X2 : Forall (fun m => m <= reach) maxima) by (eapply Forall_impl; [|exact R2]; simpl; intros; lia).
    pose proof (an_ended_two_input_node_is_empty_and_ends minima maxima c N Sw reach X1 X2 negated x l H0 H1 Hs Far Fin
      (En 0%nat ltac:(simpl; lia)) (En 1%nat ltac:(simpl; lia))) as Z.
    unfold node in *. destruct (run _ _ l) as [d o]. rewrite Z.sub_0_r. tauto.
  - destruct W as (-> & N & Sw & R1 & R2).
    assert (H0 : honest (length minima) (taken 0 l)) by (apply (Hh 0%nat); auto).
    assert (H1 : honest 1 (taken 1 l)) by (apply (Hh 1%nat); auto).
    assert (X1 : Forall (fun m => - reach <= m) minima) by (eapply Forall_impl; [|exact R1]; simpl; intros; lia).
    assert (X2 : Forall (fun m => m <= reach) maxima) by (eapply Forall_impl; [|exact R2]; simpl; intros; lia).
    pose proof (an_ended_set_node_is_empty_and_ends minima maxima c N Sw reach X1 X2 x l H0 H1 Hs Far Fin
      (En 0%nat ltac:(simpl; lia)) (En 1%nat ltac:(simpl; lia))) as Z.
    unfold set_node in *. destruct (run _ _ l) as [d o]. rewrite Z.sub_0_r. tauto.
  - subst. rewrite (run_answered (filter_answer c)) by (intros ? ? ?; auto). simpl. rewrite one_slot by auto.
    rewrite Z.sub_0_r. apply ended_map with x; auto.
  - destruct W as (w & -> & _ & M & G & L). rewrite (run_answered (production_answer g a)) by (intros ? ? ?; auto).
    simpl. rewrite one_slot by auto. apply ended_map with x; [|apply (En 0%nat); simpl; lia].
    intros t F In. simpl. constructor; [|constructor]. apply L; auto.
    assert (H0 : honest w (taken 0 l)) by (apply (Hh 0%nat); auto). clear - H0 In.
    induction (taken 0 l) as [|y r IH]; [contradiction|]. simpl in H0. destruct In as [->|I]; intuition.
Qed.

End Kinds.
End NodesCorrect.
