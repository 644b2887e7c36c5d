(* The closure of `when` (semantics/partelang/syntax/temporal.py, compilation.py; specification: variables-related,
   two-input-nodes): the windows that a compiled rule carries, by Floyd and Warshall, exclude and admit exactly what its
   constraints do. Where in the chain a filter stands does not matter (specification: meaning-rule). *)
From Parte Require Export Adequacy.

Section Closure.
Context {E : Events}.

(* ---- A chain as one filter over all tuples
   ------------------------------------------------------------------------- *)

Record alink := ALink { a_negated : bool; a_template : nat; a_own : event -> bool; a_condition : partial -> bool }.
Definition alinked (p : pattern) (l : alink) : pattern :=
  if a_negated l then Negation p (Binding (a_template l)) (a_condition l)
  else Filter (Conjunction p (single (a_template l) (a_own l))) (a_condition l).
Definition paired (a b : list partial) : list partial := map (fun ab => fst ab ++ snd ab) (list_prod a b).

Variable stream : list event.
Fixpoint tuples (a : list partial) (ls : list alink) : list partial :=
  match ls with
  | [] => a
  | l :: more => tuples (if a_negated l then a else paired a (evaluate stream (single (a_template l) (a_own l)))) more
  end.
Fixpoint admitted (n : nat) (ls : list alink) (v : partial) : bool :=
  match ls with
  | [] => true
  | l :: more =>
      if a_negated l
      then forallb (fun b => negb (a_condition l (firstn n v ++ b))) (of (a_template l) stream) && admitted n more v
      else a_condition l (firstn (S n) v) && admitted (S n) more v
  end.
Fixpoint final_width (n : nat) (ls : list alink) : nat :=
  match ls with [] => n | l :: more => final_width (if a_negated l then n else S n) more end.

Lemma final_width_ge : forall ls n, (n <= final_width n ls)%nat.
Proof. induction ls as [|l ls IH]; simpl; intros; auto. destruct (a_negated l); auto. specialize (IH (S n)). lia. Qed.

Lemma paired_cons : forall v a b, paired (v :: a) b = map (fun x => v ++ x) b ++ paired a b.
Proof. intros. unfold paired. simpl. rewrite map_app, map_map. auto. Qed.

Lemma filter_paired : forall n f a b, Forall (fun v => length v = n) a ->
  paired (filter f a) b = filter (fun v => f (firstn n v)) (paired a b).
Proof.
  intros n f a b F. induction F as [|v a Lv F IH]; [reflexivity|]. rewrite paired_cons, filter_app, <- IH. simpl.
  assert (G : forall bs : list partial, filter (fun v0 => f (firstn n v0)) (map (fun x => v ++ x) bs) =
    if f v then map (fun x => v ++ x) bs else []).
  { induction bs as [|x bs IHb]; simpl; [destruct (f v); auto|].
    rewrite firstn_app, <- Lv, Nat.sub_diag, firstn_all. simpl. rewrite app_nil_r, Lv, IHb. destruct (f v); auto. }
  rewrite G. destruct (f v); [apply paired_cons|auto].
Qed.

Lemma paired_widths : forall n a b, Forall (fun v => length v = n) a -> Forall (fun v => length v = 1%nat) b ->
  Forall (fun v => length v = S n) (paired a b).
Proof.
  intros n a b A B. unfold paired. apply Forall_map, Forall_forall. intros [x y] I. apply in_prod_iff in I as [I J].
  rewrite Forall_forall in *. simpl. rewrite app_length, A, B by auto. lia.
Qed.
Lemma single_widths : forall t own, Forall (fun v => length v = 1%nat) (evaluate stream (single t own)).
Proof. intros. apply Forall_forall. intros v I. apply evaluate_width in I. auto. Qed.

Lemma tuples_widths : forall ls n a, Forall (fun v => length v = n) a -> Forall (fun v => length v = final_width n ls)
  (tuples a ls).
Proof.
  induction ls as [|l ls IH]; simpl; intros n a A; auto. destruct (a_negated l); apply IH; auto.
  apply paired_widths; auto. apply single_widths.
Qed.

Lemma tuples_filtered : forall ls n f a, Forall (fun v => length v = n) a ->
  tuples (filter f a) ls = filter (fun v => f (firstn n v)) (tuples a ls).
Proof.
  induction ls as [|l ls IH]; simpl; intros n f a A.
  - apply filter_ext_in. intros v I. rewrite Forall_forall in A. rewrite <- (A v I), firstn_all. auto.
  - destruct (a_negated l); auto. rewrite filter_paired with (n := n) by auto. rewrite IH with (n := S n).
    + apply filter_ext. intros v. rewrite firstn_firstn. replace (Nat.min n (S n)) with n by lia. auto.
    + apply paired_widths; auto. apply single_widths.
Qed.

Lemma chain_is_one_filter : forall ls p,
  evaluate stream (fold_left alinked ls p) = filter (admitted (width p) ls) (tuples (evaluate stream p) ls).
Proof.
  induction ls as [|l ls IH]; intros p; simpl.
  - symmetry. apply filter_all, Forall_forall. auto.
  - rewrite IH. assert (W : Forall (fun v => length v = width p) (evaluate stream p)).
    { apply Forall_forall. intros v. apply evaluate_width. }
    unfold alinked. destruct (a_negated l) eqn:N; simpl.
    + rewrite tuples_filtered with (n := width p) by auto. rewrite filter_both. reflexivity.
    + rewrite Nat.add_1_r. fold (paired (evaluate stream p) (filter (first_own_of (a_own l)) (of (a_template l)
      stream))).
      rewrite tuples_filtered with (n := S (width p)); [|apply paired_widths; auto; apply (single_widths (a_template
        l) (a_own l))].
      rewrite filter_both. reflexivity.
Qed.

(* ---- Difference constraints
   ------------------------------------------------------------------------------------------ *)

Record constraint := Constraint { subject : nat; reference : nat; least : Z; greatest : Z }.
Definition at_ (v : partial) (i : nat) : Z := nth i (times v) 0.
Definition between_times (lo hi x : Z) : bool := (lo <=? x) && (x <=? hi).
Definition holds (c : constraint) (v : partial) : bool :=
  between_times (least c) (greatest c) (at_ v (subject c) - at_ v (reference c)).

(* `m i j` bounds the time of variable i less that of j from above; None where nothing does. *)
Definition matrix := nat -> nat -> option Z.
Definition lesser (known : option Z) (b : Z) : option Z := match known with None => Some b | Some a => Some (Z.min a
  b) end.
Definition put (m : matrix) (i j : nat) (b : Z) : matrix :=
  fun x y => if Nat.eqb x i && Nat.eqb y j then lesser (m i j) b else m x y.
Definition constrained (m : matrix) (c : constraint) : matrix :=
  put (put m (subject c) (reference c) (greatest c)) (reference c) (subject c) (- least c).
Definition unconstrained : matrix := fun i j => if Nat.eqb i j then Some 0 else None.
Definition via (m : matrix) (k : nat) : matrix :=
  fun i j => if Nat.eqb i k then m i j else
    match m i k, m k j with Some a, Some b => lesser (m i j) (a + b) | _, _ => m i j end.
Definition contradicts (n : nat) (m : matrix) : bool :=
  existsb (fun i => match m i i with Some d => d <? 0 | None => false end) (seq 0 n).
(* The same matrix, worked out once for the first n variables: without it, each lookup after k rounds asks for 3^k. *)
Definition worked_out (n : nat) (m : matrix) : list (list (option Z)) :=
  map (fun i => map (m i) (seq 0 n)) (seq 0 n).
Definition looked_up (table : list (list (option Z))) (m : matrix) : matrix := fun i j =>
  match nth_error table i with
  | Some row => match nth_error row j with Some d => d | None => m i j end
  | None => m i j
  end.
Definition next_round (n : nat) (m : matrix) (k : nat) : matrix := looked_up (worked_out n (via m k)) (via m k).
Fixpoint closed (n : nat) (ks : list nat) (m : matrix) : matrix * bool :=
  match ks with
  | [] => (m, false)
  | k :: more => let m' := next_round n m k in if contradicts n m' then (m', true) else closed n more m'
  end.
Definition closure (n : nat) (cs : list constraint) : matrix * bool :=
  closed n (seq 0 n) (fold_left constrained cs unconstrained).
Definition between (m : matrix) (i j : nat) : option (Z * Z) :=
  match m i j, m j i with Some u, Some l => Some (- l, u) | _, _ => None end.

Definition tight (m : matrix) (v : partial) : Prop := forall i j d, m i j = Some d -> at_ v i - at_ v j <= d.
Definition at_most (m m' : matrix) : Prop := forall i j d, m' i j = Some d -> exists d', m i j = Some d' /\ d' <= d.

Lemma at_most_refl : forall m, at_most m m.
Proof. intros m i j d H. exists d. split; auto; lia. Qed.
Lemma at_most_trans : forall a b c, at_most a b -> at_most b c -> at_most a c.
Proof. intros a b c H1 H2 i j d H. destruct (H2 i j d H) as (x & Hx & L). destruct (H1 i j x Hx) as (y & Hy & L').
  exists y. split; auto; lia. Qed.

Lemma lesser_spec : forall o b d, lesser o b = Some d -> (d = b \/ o = Some d) /\ d <= b /\ (forall a, o = Some a -> d
  <= a).
Proof.
  intros [a|] b d H; simpl in H; inversion H; subst.
  - split; [destruct (Z.min_spec a b) as [[_ ->]|[_ ->]]; auto|]. split; [lia|]. intros a' Q. inversion Q; subst. lia.
  - split; auto. split; [lia|]. intros; discriminate.
Qed.

Lemma put_at_most : forall m i j b, at_most (put m i j b) m.
Proof.
  intros m i j b x y d H. unfold put. destruct (Nat.eqb x i && Nat.eqb y j) eqn:Q; [|exists d; split; auto; lia].
  apply andb_true_iff in Q as [Q1 Q2]. apply Nat.eqb_eq in Q1, Q2. subst. rewrite H. simpl. eexists. split; eauto. lia.
Qed.
Lemma put_here : forall m i j b, exists d, put m i j b i j = Some d /\ d <= b.
Proof. intros. unfold put. rewrite !Nat.eqb_refl. simpl. destruct (m i j); simpl; eexists; split; eauto; lia. Qed.
Lemma put_tight : forall m i j b v, tight m v -> at_ v i - at_ v j <= b -> tight (put m i j b) v.
Proof.
  intros m i j b v T L x y d H. unfold put in H. destruct (Nat.eqb x i && Nat.eqb y j) eqn:Q; [|auto].
  apply andb_true_iff in Q as [Q1 Q2]. apply Nat.eqb_eq in Q1, Q2. subst.
  destruct (lesser_spec _ _ _ H) as [[->|O] _]; auto.
Qed.

Lemma via_at_most : forall m k, at_most (via m k) m.
Proof.
  intros m k i j d H. unfold via. destruct (Nat.eqb i k); [exists d; split; auto; lia|].
  destruct (m i k), (m k j); try (exists d; split; auto; lia). rewrite H. simpl. eexists. split; eauto. lia.
Qed.
Lemma via_tight : forall m k v, tight m v -> tight (via m k) v.
Proof.
  intros m k v T i j d H. unfold via in H. destruct (Nat.eqb i k); auto.
  destruct (m i k) as [a|] eqn:A; auto. destruct (m k j) as [b|] eqn:B; auto.
  destruct (lesser_spec _ _ _ H) as [[->|O] _]; auto. pose proof (T _ _ _ A). pose proof (T _ _ _ B). lia.
Qed.

Lemma contradiction_met_by_nothing : forall n m v, contradicts n m = true -> ~ tight m v.
Proof.
  unfold contradicts. intros n m v H T. apply existsb_exists in H as (i & _ & H). destruct (m i i) as [d|] eqn:D;
    [|discriminate].
  apply Z.ltb_lt in H. pose proof (T _ _ _ D). lia.
Qed.

Lemma nth_error_of_seq : forall A (f : nat -> A) n i x, nth_error (map f (seq 0 n)) i = Some x -> x = f i.
Proof.
  intros A f n i x H. assert (L : (i < n)%nat).
  { rewrite <- (seq_length n 0), <- (map_length f (seq 0 n)). apply nth_error_Some. congruence. }
  apply nth_error_nth with (d := f 0%nat) in H. rewrite map_nth, seq_nth in H by auto. auto.
Qed.
Lemma a_round_is_via : forall n m k i j, next_round n m k i j = via m k i j.
Proof.
  intros. unfold next_round, looked_up. destruct (nth_error (worked_out n (via m k)) i) as [row|] eqn:R; auto.
  apply nth_error_of_seq in R. subst. destruct (nth_error (map (via m k i) (seq 0 n)) j) as [d|] eqn:D; auto.
  apply nth_error_of_seq in D. auto.
Qed.
Lemma round_at_most : forall n m k, at_most (next_round n m k) m.
Proof. intros n m k i j d H. rewrite a_round_is_via. apply via_at_most. auto. Qed.
Lemma round_tight : forall n m k v, tight m v -> tight (next_round n m k) v.
Proof. intros n m k v T i j d H. rewrite a_round_is_via in H. revert H. apply via_tight. auto. Qed.

Lemma closed_spec : forall n ks m, let '(m', c) := closed n ks m in
  at_most m' m /\ (forall v, tight m v -> tight m' v) /\ (forall v, c = true -> ~ tight m v).
Proof.
  intros n ks. induction ks as [|k ks IH]; intros m; simpl.
  - split; [apply at_most_refl|split; auto]. intros; discriminate.
  - destruct (contradicts n (next_round n m k)) eqn:C.
    + split; [apply round_at_most|split; [intros; apply round_tight; auto|]]. intros v _ T.
      apply (contradiction_met_by_nothing n (next_round n m k) v C). apply round_tight. auto.
    + specialize (IH (next_round n m k)). destruct (closed n ks (next_round n m k)) as [m' c].
      destruct IH as (A & B & D).
      split; [eapply at_most_trans; [exact A|apply round_at_most]|]. split.
      * intros v T. apply B, round_tight, T.
      * intros v H T. apply (D v H). apply round_tight, T.
Qed.

Lemma holds_spec : forall c v, holds c v = true <-> least c <= at_ v (subject c) - at_ v (reference c) <= greatest c.
Proof. intros. unfold holds, between_times. rewrite andb_true_iff, !Z.leb_le. tauto. Qed.

Lemma constrained_spec : forall cs m,
  at_most (fold_left constrained cs m) m /\
  (forall v, tight m v -> Forall (fun c => holds c v = true) cs -> tight (fold_left constrained cs m) v) /\
  Forall (fun c => (exists d, fold_left constrained cs m (subject c) (reference c) = Some d /\ d <= greatest c) /\
                   (exists d, fold_left constrained cs m (reference c) (subject c) = Some d /\ d <= - least c)) cs.
Proof.
  induction cs as [|c cs IH]; intros m; simpl.
  - split; [apply at_most_refl|split; auto].
  - destruct (IH (constrained m c)) as (A & B & D).
    assert (Am : at_most (constrained m c) m).
    { unfold constrained. eapply at_most_trans; apply put_at_most. }
    split; [eapply at_most_trans; eauto|]. split.
    + intros v T H. inversion H; subst. apply B; auto. apply holds_spec in H2. unfold constrained.
      apply put_tight; [apply put_tight; auto; lia|lia].
    + constructor; auto. split.
      * destruct (put_here m (subject c) (reference c) (greatest c)) as (d & Hd & L).
        destruct (put_at_most (put m (subject c) (reference c) (greatest c)) (reference c) (subject c) (- least c) _ _
          _ Hd) as (d' & Hd' & L').
        destruct (A _ _ _ Hd') as (d'' & Hd'' & L''). exists d''. split; auto. lia.
      * destruct (put_here (put m (subject c) (reference c) (greatest c)) (reference c) (subject c) (- least c)) as (d
        & Hd & L).
        destruct (A _ _ _ Hd) as (d' & Hd' & L'). exists d'. split; auto. lia.
Qed.

Lemma unconstrained_tight : forall v, tight unconstrained v.
Proof.
  intros v i j d H. unfold unconstrained in H. destruct (Nat.eqb i j) eqn:Q; [|discriminate]. apply Nat.eqb_eq in Q.
  inversion H; subst. lia.
Qed.

(* Specification: variables-related. What all constraints admit, the closure admits; it is at least as narrow as each
   constraint; and where it finds a contradiction nothing meets the constraints. *)
Theorem the_closure_follows_from_the_constraints_and_implies_them : forall n cs, let '(m, c) := closure n cs in
  (forall v, Forall (fun c => holds c v = true) cs -> tight m v /\ c = false) /\
  Forall (fun c => (exists d, m (subject c) (reference c) = Some d /\ d <= greatest c) /\
                   (exists d, m (reference c) (subject c) = Some d /\ d <= - least c)) cs /\
  (forall i, exists d, m i i = Some d /\ d <= 0).
Proof.
  intros n cs. unfold closure. destruct (constrained_spec cs unconstrained) as (A & B & D).
  pose proof (closed_spec n (seq 0 n) (fold_left constrained cs unconstrained)) as S.
  destruct (closed n (seq 0 n) (fold_left constrained cs unconstrained)) as [m c]. destruct S as (A' & B' & C').
  split; [|split].
  - intros v H. assert (T : tight (fold_left constrained cs unconstrained) v) by (apply B; auto; apply
    unconstrained_tight).
    split; auto. destruct c; auto. exfalso. apply (C' v eq_refl T).
  - eapply Forall_impl; [|exact D]. intros c0 ((d & Hd & L) & (d' & Hd' & L')).
    destruct (A' _ _ _ Hd) as (x & Hx & Lx). destruct (A' _ _ _ Hd') as (y & Hy & Ly). split; [exists x|exists y];
      split; auto; lia.
  - intros i. assert (U : unconstrained i i = Some 0) by (unfold unconstrained; rewrite Nat.eqb_refl; auto).
    destruct (A _ _ _ U) as (d & Hd & L). destruct (A' _ _ _ Hd) as (d' & Hd' & L'). exists d'. split; auto. lia.
Qed.

(* ---- Rules as they are written, and closed
   --------------------------------------------------------------------------- *)

(* A negated pattern carries its own constraints: to which variable, least and greatest distance. So does a set, whose
   `w_negated` says nothing. *)
Record written_link := WrittenLink { w_negated : bool; w_template : nat; w_own : event -> bool; w_joint : partial ->
  bool;
  w_against : list (nat * (Z * Z)) }.
Record written := Written { w_first : nat; w_first_own : event -> bool; w_links : list written_link;
  w_when : list constraint; w_sets : list written_link; w_having : option (partial -> bool);
  w_emissions : list emission }.
(* A rule of level 1 has no sets. *)
Definition without_sets (first : nat) (own : event -> bool) (ls : list written_link) (cs : list constraint)
  (ms : list emission) : written := Written first own ls cs [] None ms.

Definition meets_against (x : Z -> Z) (v : partial) (a : nat * (Z * Z)) : bool :=
  between_times (fst (snd a)) (snd (snd a)) (x (at_ v (fst a))).
Definition beside_as_written (n : nat) (l : written_link) (v : partial) : bool :=
  first_own_of (w_own l) (skipn n v)
  && (w_joint l v && forallb (meets_against (fun t => at_ v n - t) v) (w_against l)).
Definition as_written (n : nat) (l : written_link) : alink :=
  ALink (w_negated l) (w_template l) (w_own l)
    (if w_negated l then beside_as_written n l else w_joint l).
Fixpoint all_as_written (n : nat) (ls : list written_link) : list alink :=
  match ls with [] => [] | l :: more => as_written n l :: all_as_written (if w_negated l then n else S n) more end.
Fixpoint positives (n : nat) (ls : list written_link) : nat :=
  match ls with [] => n | l :: more => positives (if w_negated l then n else S n) more end.
(* The positive and the negated patterns and what `when` asks of them; then the sets; then `having`. *)
Definition matched_as_written (r : written) : pattern :=
  Filter (fold_left alinked (all_as_written 1 (w_links r)) (single (w_first r) (w_first_own r)))
    (fun v => forallb (fun c => holds c v) (w_when r)).
Definition collected_as_written (n : nat) (p : pattern) (l : written_link) : pattern :=
  Collection p (w_template l) (beside_as_written n l).
Definition pattern_of_written (r : written) : pattern :=
  filtered (w_having r)
    (fold_left (collected_as_written (positives 1 (w_links r))) (w_sets r) (matched_as_written r)).

Definition nowhere : Z * Z := (0, -1).
Definition or_nowhere (w : option (Z * Z)) : Z * Z := match w with Some w => w | None => nowhere end.
Definition met (known : option (Z * Z)) (lo hi : Z) : option (Z * Z) :=
  match known with None => Some (lo, hi) | Some (a, b) => Some (Z.max lo a, Z.min hi b) end.
Definition negated_window (m : matrix) (against : list (nat * (Z * Z))) (j : nat) : option (Z * Z) :=
  fold_left (fun known a => match between m (fst a) j with
                            | Some (dl, du) => met known (fst (snd a) + dl) (snd (snd a) + du)
                            | None => known end) against None.
Definition windows_of (m : matrix) (n : nat) (l : written_link) : list (Z * Z) :=
  map (fun j => or_nowhere (if w_negated l then negated_window m (w_against l) j else between m n j)) (seq 0 n).
Definition close_link (m : matrix) (n : nat) (l : written_link) : link :=
  Link (w_negated l) (w_template l) (w_own l) (w_joint l) (windows_of m n l).
Fixpoint close_links (m : matrix) (n : nat) (ls : list written_link) : list link :=
  match ls with [] => [] | l :: more => close_link m n l :: close_links m (if w_negated l then n else S n) more end.
Definition close_set (m : matrix) (n : nat) (l : written_link) : link :=
  Link true (w_template l) (w_own l) (w_joint l)
    (map (fun j => or_nowhere (negated_window m (w_against l) j)) (seq 0 n)).
Definition closure_of (r : written) : matrix * bool := closure (positives 1 (w_links r)) (w_when r).
Definition close (r : written) : rule :=
  Rule (w_first r) (w_first_own r) (close_links (fst (closure_of r)) 1 (w_links r))
    (map (close_set (fst (closure_of r)) (positives 1 (w_links r))) (w_sets r)) (w_having r) (w_emissions r).

(* What the checks ask: constraints speak of two variables that there are; unless they contradict each other, they
   relate
   all variables; a negated pattern is related to an earlier one, a set to any. *)
Fixpoint against_checked (n : nat) (ls : list written_link) : Prop :=
  match ls with
  | [] => True
  | l :: more => (w_negated l = true -> w_against l <> [] /\ Forall (fun a => fst a < n)%nat (w_against l))
                 /\ against_checked (if w_negated l then n else S n) more
  end.
Definition sets_checked (n : nat) (ls : list written_link) : Prop :=
  Forall (fun l => w_against l <> [] /\ Forall (fun a => fst a < n)%nat (w_against l)) ls.
Definition related (r : written) : Prop :=
  Forall (fun c => subject c < positives 1 (w_links r) /\ reference c < positives 1 (w_links r) /\ subject c <>
    reference c)%nat (w_when r)
  /\ (against_checked 1 (w_links r) /\ sets_checked (positives 1 (w_links r)) (w_sets r))
  /\ (snd (closure_of r) = true \/
      forall i j, (i < positives 1 (w_links r))%nat -> (j < positives 1 (w_links r))%nat -> fst (closure_of r) i j <>
        None).

Definition of_link (l : link) : alink :=
  ALink (negated l) (its_template l) (own l)
    (if negated l then beside l else fun v => joint l v && within (windows l) v).
Lemma linked_is_alinked : forall ls p, fold_left linked ls p = fold_left alinked (map of_link ls) p.
Proof.
  induction ls as [|l ls IH]; simpl; intros p; auto. rewrite IH. f_equal. unfold linked, alinked, of_link. simpl.
  destruct (negated l); auto.
Qed.

Lemma same_tuples : forall m ls n a, tuples a (map of_link (close_links m n ls)) = tuples a (all_as_written n ls).
Proof. induction ls as [|l ls IH]; simpl; intros n a; auto. Qed.
Lemma positives_width : forall ls n, final_width n (all_as_written n ls) = positives n ls.
Proof. induction ls as [|l ls IH]; simpl; intros n; auto. Qed.
Lemma positives_ge : forall ls n, (n <= positives n ls)%nat.
Proof. induction ls as [|l ls IH]; simpl; intros n; auto. destruct (w_negated l); auto. specialize (IH (S n)). lia. Qed.

Lemma fits_spec : forall ts f n s e, length ts = n ->
  (fits ts (map fst (map f (seq s n))) (map snd (map f (seq s n))) e = true <->
   forall j, (j < n)%nat -> fst (f (s + j)%nat) <= e - nth j ts 0 <= snd (f (s + j)%nat)).
Proof.
  induction ts as [|t ts IH]; intros f n s e L; destruct n; simpl in *; try discriminate.
  - split; auto. intros. lia.
  - rewrite !andb_true_iff, !Z.leb_le, IH by lia. split.
    + intros [[A B] C] [|j] Lj; simpl; [rewrite Nat.add_0_r; lia|]. specialize (C j). rewrite Nat.add_succ_r. apply C.
      lia.
    + intros H. split.
      * specialize (H 0%nat). rewrite Nat.add_0_r in H. apply H. lia.
      * intros j Lj. specialize (H (S j)). rewrite Nat.add_succ_r in H. apply H. lia.
Qed.

Lemma at_app_left : forall p q j, (j < length p)%nat -> at_ (p ++ q) j = at_ p j.
Proof. intros. unfold at_, times. rewrite map_app, app_nth1; auto. rewrite map_length. auto. Qed.
Lemma at_firstn : forall v n j, (j < n)%nat -> (n <= length v)%nat -> at_ (firstn n v) j = at_ v j.
Proof.
  intros. rewrite <- (firstn_skipn n v) at 2. rewrite at_app_left; auto. rewrite firstn_length. lia.
Qed.

Lemma within_spec : forall f n u, length u = S n ->
  (within (map f (seq 0 n)) u = true <-> forall j, (j < n)%nat -> fst (f j) <= at_ u n - at_ u j <= snd (f j)).
Proof.
  intros f n u L. unfold within. rewrite map_length, seq_length.
  rewrite fits_spec by (rewrite times_length, firstn_length; lia). simpl.
  replace (hd 0 (times (skipn n u))) with (at_ u n).
  - split; intros H j Lj; specialize (H j Lj).
    + rewrite <- (at_firstn u n j) by lia. exact H.
    + rewrite <- (at_firstn u n j) in H by lia. exact H.
  - unfold at_, times. rewrite <- (firstn_skipn n u) at 1. rewrite map_app, app_nth2; rewrite map_length, firstn_length;
      replace (Nat.min n (length u)) with n by lia; auto. rewrite Nat.sub_diag. destruct (skipn n u); auto.
Qed.

Definition meets_window (o : option (Z * Z)) (x : Z) : Prop := match o with None => True | Some w => fst w <= x <= snd
  w end.
Lemma negated_window_spec : forall m j against, (forall a, In a against -> between m (fst a) j <> None) ->
  against <> [] -> exists w, negated_window m against j = Some w /\
  forall x, fst w <= x <= snd w <-> forall a lo hi, In a against -> between m (fst a) j = Some (lo, hi) ->
    fst (snd a) + lo <= x <= snd (snd a) + hi.
Proof.
  intros m j against R N. unfold negated_window.
  assert (G : forall against known, (forall a, In a against -> between m (fst a) j <> None) -> (known <> None \/
    against <> []) ->
    exists w, fold_left (fun known a => match between m (fst a) j with
                            | Some (dl, du) => met known (fst (snd a) + dl) (snd (snd a) + du)
                            | None => known end) against known = Some w /\
    forall x, fst w <= x <= snd w <-> meets_window known x /\ forall a lo hi, In a against -> between m (fst a) j =
      Some (lo, hi) ->
      fst (snd a) + lo <= x <= snd (snd a) + hi).
  { clear. induction against as [|a against IH]; simpl; intros known R K.
    - destruct known as [w|]; [|destruct K; congruence]. exists w. split; auto. simpl. intros x. split; [intros;
      split; auto; intros ? ? ? []|tauto].
    - destruct (between m (fst a) j) as [[lo hi]|] eqn:B; [|exfalso; eapply R; eauto].
      destruct (IH (met known (fst (snd a) + lo) (snd (snd a) + hi))) as (w & F & S).
      + intros; apply R; auto.
      + left. destruct known as [[? ?]|]; simpl; discriminate.
      + exists w. split; auto. intros x. rewrite S. split.
        * intros [M H]. assert (meets_window known x /\ fst (snd a) + lo <= x <= snd (snd a) + hi) as [M1 M2].
          { destruct known as [[k1 k2]|]; simpl in *; [split; lia|split; auto; lia]. }
          split; auto. intros a' lo' hi' [<-|I] Bt; [|eauto]. rewrite B in Bt. inversion Bt; subst. auto.
        * intros [M H]. split; [|intros; eapply H; eauto]. specialize (H a lo hi (or_introl eq_refl) B).
          destruct known as [[k1 k2]|]; simpl in *; lia. }
  destruct (G against None R (or_intror N)) as (w & F & S). exists w. split; auto. intros x. rewrite S. simpl. tauto.
Qed.

Section OneRule.
Variables (m : matrix) (size : nat) (v : partial).
Hypothesis Length : length v = size.
Hypothesis Diagonal : forall i, exists d, m i i = Some d /\ d <= 0.

Section Met.
Hypothesis Tight : tight m v.
Hypothesis Related : forall i j, (i < size)%nat -> (j < size)%nat -> m i j <> None.

Lemma between_some : forall i j, (i < size)%nat -> (j < size)%nat ->
  exists lo hi, between m i j = Some (lo, hi) /\ lo <= at_ v i - at_ v j <= hi.
Proof.
  intros i j Li Lj. pose proof (Related i j Li Lj). pose proof (Related j i Lj Li). unfold between.
  destruct (m i j) as [u|] eqn:U; [|congruence]. destruct (m j i) as [l|] eqn:L; [|congruence].
  exists (- l), u. split; auto. pose proof (Tight _ _ _ U). pose proof (Tight _ _ _ L). lia.
Qed.
Lemma between_itself : forall i, (i < size)%nat -> between m i i = Some (0, 0).
Proof.
  intros i Li. destruct (Diagonal i) as (d & D & L). unfold between. rewrite D. pose proof (Tight _ _ _ D).
  assert (d = 0) by lia. subst. auto.
Qed.

Lemma within_alike : forall n against b, (n <= size)%nat -> length b = 1%nat -> against <> [] ->
  Forall (fun a => fst a < n)%nat against ->
  within (map (fun j => or_nowhere (negated_window m against j)) (seq 0 n)) (firstn n v ++ b) =
  forallb (meets_against (fun t => at_ (firstn n v ++ b) n - t) (firstn n v ++ b)) against.
Proof.
  intros n against b Ge Lb Ne Refs.
  assert (Lu : length (firstn n v ++ b) = S n) by (rewrite app_length, firstn_length; lia).
  apply eq_true_iff_eq. rewrite within_spec by auto. rewrite forallb_forall. rewrite Forall_forall in Refs.
  assert (At : forall j, (j < n)%nat -> at_ (firstn n v ++ b) j = at_ v j).
  { intros j Lj. rewrite at_app_left by (rewrite firstn_length; lia). apply at_firstn; lia. }
  assert (W : forall j, (j < n)%nat -> exists w, negated_window m against j = Some w /\
    forall x, fst w <= x <= snd w <-> forall a lo hi, In a against -> between m (fst a) j = Some (lo, hi) ->
      fst (snd a) + lo <= x <= snd (snd a) + hi).
  { intros j Lj. apply negated_window_spec; auto. intros a Ia. specialize (Refs a Ia).
    destruct (between_some (fst a) j) as (lo & hi & B & _); [lia|lia|]. congruence. }
  split.
  + intros H a Ia. specialize (Refs a Ia). specialize (H (fst a) Refs).
    destruct (W (fst a) Refs) as (w & Ew & S). rewrite Ew in H. simpl in H. apply S with (a := a) (lo := 0) (hi :=
      0) in H; auto.
    * unfold meets_against, between_times. apply andb_true_iff. rewrite !Z.leb_le. lia.
    * apply between_itself. lia.
  + intros H j Lj. destruct (W j Lj) as (w & Ew & S). rewrite Ew. simpl. apply S. intros a lo hi Ia B.
    specialize (H a Ia). specialize (Refs a Ia). unfold meets_against, between_times in H.
    apply andb_true_iff in H. rewrite !Z.leb_le, (At (fst a) Refs) in H. rewrite (At j Lj).
    destruct (between_some (fst a) j) as (lo' & hi' & B' & R); [lia|lia|]. rewrite B in B'. inversion B'; subst. lia.
Qed.

Lemma admitted_alike : forall ls n, positives n ls = size -> against_checked n ls ->
  admitted n (map of_link (close_links m n ls)) v = admitted n (all_as_written n ls) v.
Proof.
  induction ls as [|l ls IH]; intros n P A; auto. simpl in P, A. destruct A as [A1 A2].
  pose proof (positives_ge ls (if w_negated l then n else S n)) as Ge. rewrite P in Ge.
  specialize (IH _ P A2). cbn - [firstn skipn]. unfold windows_of.
  destruct (w_negated l) eqn:N.
  - rewrite IH. f_equal. apply forallb_same. intros b Ib.
    assert (Lb : length b = 1%nat) by (unfold of in Ib; apply in_map_iff in Ib as (e & <- & _); auto).
    destruct (A1 eq_refl) as [Ne Refs]. unfold beside, beside_as_written. cbn - [firstn skipn].
    unfold windows_of. rewrite map_length, seq_length, N.
    f_equal. f_equal. f_equal. apply within_alike; auto.
  - rewrite IH. f_equal. rewrite <- (andb_true_r (w_joint l (firstn (S n) v))) at 2. f_equal.
    assert (Lu : length (firstn (S n) v) = S n) by (rewrite firstn_length; lia).
    apply within_spec; auto. intros j Lj. rewrite !at_firstn by lia.
    destruct (between_some n j) as (lo & hi & B & R); [lia|lia|]. rewrite B. simpl. auto.
Qed.

Lemma set_alike : forall l e, w_against l <> [] -> Forall (fun a => fst a < size)%nat (w_against l) ->
  beside (close_set m size l) (v ++ [e]) = beside_as_written size l (v ++ [e]).
Proof.
  intros l e Ne Refs. unfold beside, beside_as_written. simpl. rewrite map_length, seq_length. f_equal. f_equal.
  pose proof (within_alike size (w_against l) [e] (Nat.le_refl _) eq_refl Ne Refs) as W.
  rewrite <- Length, firstn_all, Length in W. exact W.
Qed.
End Met.

Lemma admitted_pairs : forall ls n, positives n ls = size -> admitted n (map of_link (close_links m n ls)) v = true ->
  forall k j, (n <= k < size)%nat -> (j < k)%nat ->
  fst (or_nowhere (between m k j)) <= at_ v k - at_ v j <= snd (or_nowhere (between m k j)).
Proof.
  induction ls as [|l ls IH]; intros n P A k j Lk Lj; simpl in P; [lia|].
  pose proof (positives_ge ls (if w_negated l then n else S n)) as Ge. rewrite P in Ge.
  cbn - [firstn skipn] in A. destruct (w_negated l) eqn:N; apply andb_true_iff in A as [A1 A2].
  - eapply IH; eauto.
  - destruct (Nat.eq_dec k n) as [->|Nk]; [|eapply IH; eauto; lia].
    apply andb_true_iff in A1 as [_ A1]. unfold windows_of in A1. rewrite N in A1.
    assert (Lu : length (firstn (S n) v) = S n) by (rewrite firstn_length; lia).
    pose proof (proj1 (within_spec _ n _ Lu) A1 j Lj) as H. rewrite !at_firstn in H by lia. exact H.
Qed.
End OneRule.

Lemma a_closed_chain_means_what_is_written : forall r, related r ->
  evaluate stream (fold_left linked (links (close r)) (single (first_template (close r)) (first_own (close r))))
  = evaluate stream (matched_as_written r).
Proof.
  intros r (Cs & (Ag & _) & Rel). unfold matched_as_written. simpl. rewrite linked_is_alinked, !chain_is_one_filter.
    simpl width.
  rewrite same_tuples, filter_both. apply filter_ext_in. intros v I.
  assert (L : length v = positives 1 (w_links r)).
  { pose proof (tuples_widths (all_as_written 1 (w_links r)) 1 _ (single_widths (w_first r) (w_first_own r))) as F.
    rewrite Forall_forall in F. rewrite <- positives_width. apply F. exact I. }
  pose proof (the_closure_follows_from_the_constraints_and_implies_them (positives 1 (w_links r)) (w_when r)) as C.
  unfold closure_of in *. destruct (closure (positives 1 (w_links r)) (w_when r)) as [m c]. simpl in *. destruct C as
    (C1 & C2 & C3).
  destruct (forallb (fun c => holds c v) (w_when r)) eqn:H.
  - rewrite andb_true_r. rewrite forallb_forall in H. rewrite <- Forall_forall in H. destruct (C1 v H) as [T Nc].
    apply admitted_alike with (size := positives 1 (w_links r)); auto. destruct Rel as [Rel|Rel]; [congruence|auto].
  - rewrite andb_false_r. destruct (admitted 1 (map of_link (close_links m 1 (w_links r))) v) eqn:A; auto.
    exfalso. assert (X : forallb (fun c => holds c v) (w_when r) = true); [|congruence].
    apply forallb_forall. intros k Ik. rewrite Forall_forall in Cs, C2. destruct (Cs k Ik) as (Ls & Lr & Ne).
    destruct (C2 k Ik) as ((d & D & Ld) & (d' & D' & Ld')). apply holds_spec.
    assert (P := admitted_pairs m (positives 1 (w_links r)) v L (w_links r) 1 eq_refl A).
    assert (subject k < reference k \/ reference k < subject k)%nat as [O|O] by lia.
    + specialize (P (reference k) (subject k)). unfold between in P. rewrite D, D' in P. simpl in P.
      assert (1 <= reference k < positives 1 (w_links r))%nat by lia. specialize (P H0 O). lia.
    + specialize (P (subject k) (reference k)). unfold between in P. rewrite D, D' in P. simpl in P.
      assert (1 <= subject k < positives 1 (w_links r))%nat by lia. specialize (P H0 O). lia.
Qed.

Lemma values_collected_as_written : forall n ls p v, In v (evaluate stream (fold_left (collected_as_written n) ls p)) ->
  exists u, In u (evaluate stream p) /\ times v = times u.
Proof.
  intros n ls. induction ls as [|l ls IH]; simpl; intros p v I; [eauto|].
  destruct (IH _ _ I) as (u & J & T). simpl in J. apply in_map_iff in J as (u' & <- & J). exists u'. split; auto.
  rewrite T. apply with_set_times.
Qed.

(* Specification: variables-related, meaning-rule. *)
Theorem a_closed_rule_means_what_is_written : forall r, related r ->
  evaluate stream (pattern_of (close r)) = evaluate stream (pattern_of_written r).
Proof.
  intros r R. unfold pattern_of, pattern_of_written.
  assert (Same : evaluate stream (fold_left collected (sets (close r)) (fold_left linked (links (close r))
      (single (first_template (close r)) (first_own (close r)))))
    = evaluate stream (fold_left (collected_as_written (positives 1 (w_links r))) (w_sets r) (matched_as_written r))).
  { pose proof (a_closed_chain_means_what_is_written r R) as Chain. destruct R as (_ & (_ & Ss) & Rel).
    assert (Met : forall v, In v (evaluate stream (matched_as_written r)) -> length v = positives 1 (w_links r) /\
      tight (fst (closure_of r)) v /\ snd (closure_of r) = false).
    { intros v I. split.
      - apply filter_In in I as [I _]. rewrite chain_is_one_filter in I. apply filter_In in I as [I _].
        pose proof (tuples_widths (all_as_written 1 (w_links r)) 1 _ (single_widths (w_first r) (w_first_own r))) as F.
        rewrite Forall_forall, positives_width in F. apply F. exact I.
      - apply filter_In in I as [_ H]. rewrite forallb_forall, <- Forall_forall in H.
        pose proof (the_closure_follows_from_the_constraints_and_implies_them (positives 1 (w_links r)) (w_when r))
          as C.
        unfold closure_of. destruct (closure (positives 1 (w_links r)) (w_when r)) as [m c]. destruct C as (C1 & _).
        apply C1. auto. }
    revert Chain Met Ss. generalize (matched_as_written r).
    generalize (fold_left linked (links (close r)) (single (first_template (close r)) (first_own (close r)))).
    change (sets (close r)) with (map (close_set (fst (closure_of r)) (positives 1 (w_links r))) (w_sets r)).
    generalize (w_sets r). induction l as [|l ls IH]; intros p q Chain Met Ss; [exact Chain|].
    inversion Ss as [|? ? [Ne Refs] Ss']; subst. simpl. apply IH; auto.
    - simpl. rewrite Chain. apply map_ext_in. intros v I. destruct (Met v I) as (L & T & Nc). f_equal. unfold set_in.
      apply filter_ext. intros e. apply set_alike; auto.
      + intros i. pose proof (the_closure_follows_from_the_constraints_and_implies_them (positives 1 (w_links r))
          (w_when r)) as C. unfold closure_of. destruct (closure (positives 1 (w_links r)) (w_when r)) as [m c].
        destruct C as (_ & _ & C3). apply C3.
      + destruct Rel as [Rel|Rel]; [congruence|auto].
    - intros v I. simpl in I. apply in_map_iff in I as (u & <- & I). destruct (Met u I) as (L & T & Nc).
      rewrite with_set_length. split; [auto|split; [|auto]]. intros i j d D. unfold at_. rewrite with_set_times.
      apply T. auto. }
  simpl. destruct (w_having r) as [h|]; simpl; simpl in Same; rewrite Same; auto.
Qed.

End Closure.
