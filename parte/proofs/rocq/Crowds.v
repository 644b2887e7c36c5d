(* How large crowds of partial matches are: products along spanning trees, whoever leads them (docs/bounds.md, "Count";
   specification: size-viable, variables-related). *)
From Parte Require Export Counts.

Section Crowds.
Context {E : Events}.

(* ---- Counting along a tree ----------------------------------------------------------------------------------------
  *)

(* The events at each place of a partial match, and how many fit into a closed window. *)
Variables (stream : nat -> list event) (fit : nat -> Z -> nat).
Hypothesis So_many_fit : forall v a b,
  (length (filter (within_window a b) (stream v)) <= fit v (b - a))%nat.
Variables (all : partial -> Prop) (width : nat).
Hypothesis Their_events : forall p, all p -> length p = width /\
  forall v y, nth_error p v = Some y -> In y (stream v).

(* The distances that all matches keep between two events (specification: variables-related). *)
Definition apart (u v : nat) (least greatest : Z) : Prop := forall p x y, all p ->
  nth_error p u = Some x -> nth_error p v = Some y -> least <= time y - time x <= greatest.

(* A tree over all places, the last first: roots, and events in a window from an event before them. *)
Inductive how := Root | From (origin : nat) (least greatest : Z).
Fixpoint grown_in_order (tree : list (nat * how)) : Prop :=
  match tree with
  | [] => True
  | x :: before => match snd x with From origin _ _ => In origin (map fst before) | Root => True end /\
      grown_in_order before
  end.
Record is_a_tree (roots : nat -> Prop) (tree : list (nat * how)) : Prop := IsATree {
  its_order : grown_in_order tree;
  its_places : forall v, (v < width)%nat -> In v (map fst tree);
  its_edges : Forall (fun x => (fst x < width)%nat /\ match snd x with
    | From origin least greatest => (origin < width)%nat /\ apart origin (fst x) least greatest
    | Root => roots (fst x) end) tree }.
Definition weights (root : nat -> nat) (tree : list (nat * how)) : nat := fold_right (fun x n =>
  match snd x with From _ least greatest => fit (fst x) (greatest - least) | Root => root (fst x) end * n)%nat 1%nat
    tree.

(* The event at a root is one of few, or lies in a window. *)
Definition root_limit := (list event + Z * Z)%type.
Definition limit_at (r : root_limit) : limit_of := match r with inl few => OneOf few | inr (a, b) => Within a b end.
Definition keeps_to (r : root_limit) (y : event) : Prop :=
  match r with inl few => In y few | inr (a, b) => a <= time y <= b end.
Definition most_of (v : nat) (r : root_limit) : nat := match r with inl few => length few | inr (a, b) => fit v (b -
  a) end.
Definition limited_by (root : nat -> root_limit) (x : nat * how) : nat * limit_of :=
  (fst x, match snd x with From origin least greatest => WithinOf origin least greatest | Root => limit_at (root (fst
    x))
    end).
Definition most_at (s : nat * limit_of) : nat :=
  match snd s with
  | OneOf few => length few
  | Within least greatest | WithinOf _ least greatest => fit (fst s) (greatest - least) end.
Lemma options_are_few : forall s ch, (length (options stream s ch) <= most_at s)%nat.
Proof.
  intros [v l] ch. unfold options, most_at. simpl. destruct l as [few|least greatest|origin least greatest]; auto.
  destruct (chosen origin ch) as [x|]; [|simpl; lia].
  replace (greatest - least) with ((time x + greatest) - (time x + least)) by lia. apply So_many_fit.
Qed.
Lemma so_many_along_a_tree : forall root roots tree ps, is_a_tree roots tree -> NoDup ps -> Forall all ps ->
  Forall (fun p => forall v y, roots v -> nth_error p v = Some y -> keeps_to (root v) y) ps ->
  (length ps <= weights (fun v => most_of v (root v)) tree)%nat.
Proof.
  intros root roots tree ps [Order Places Edges] N F At.
  assert (Eq : product most_at (map (limited_by root) tree) = weights (fun v => most_of v (root v)) tree).
  { clear. induction tree as [|[v [|o a b]] tree IH]; simpl; rewrite ?IH; auto.
    unfold limited_by, most_at. simpl. destruct (root v) as [few|[a b]]; auto. }
  rewrite <- Eq. apply (partial_matches_are_few_along_a_tree stream most_at options_are_few width); auto.
  - clear - Order. induction tree as [|[v [|o a b]] tree IH]; simpl in *; auto; destruct Order as [Io Order]; split;
    auto.
    + destruct (root v) as [few|[a b]]; simpl; auto.
    + rewrite map_map. simpl. exact Io.
  - intros v L. rewrite map_map. simpl. apply (Places v L).
  - rewrite Forall_forall in *. intros p I. destruct (Their_events p (F p I)) as [Lp Ev]. split; auto.
    apply Forall_map, Forall_forall. intros [v h] Ix. destruct (Edges _ Ix) as [Lv Rt]. simpl in Lv, Rt.
    destruct (nth_error p v) as [y|] eqn:Ny; [|apply nth_error_None in Ny; lia].
    exists y. simpl. split; auto. split; [eauto|]. destruct h as [|o a b].
    + specialize (At p I v y Rt Ny). destruct (root v) as [few|[a b]]; simpl in *; auto.
      unfold within_window, Sizes.between. apply andb_true_iff. rewrite !Z.leb_le. lia.
    + destruct Rt as [Lo Ap]. destruct (nth_error p o) as [x|] eqn:Nx; [|apply nth_error_None in Nx; lia].
      exists x. split; auto. specialize (Ap p x y (F p I) Nx Ny). unfold within_window, Sizes.between.
      apply andb_true_iff. rewrite !Z.leb_le. lia.
Qed.
Lemma weights_grow : forall f g tree, (forall v, (f v <= g v)%nat) -> (weights f tree <= weights g tree)%nat.
Proof.
  intros f g tree L. induction tree as [|[v [|o a b]] tree IH]; simpl; auto; apply Nat.mul_le_mono; auto.
Qed.

(* ---- Crowds, whoever leads them -----------------------------------------------------------------------------------
  *)

Lemma grouped : forall A (R : A -> partial -> Prop) few n ps, NoDup ps ->
  Forall (fun p => exists p0, In p0 few /\ R p0 p) ps ->
  (forall p0 qs, NoDup qs -> incl qs ps -> Forall (R p0) qs -> (length qs <= n)%nat) ->
  (length ps <= length few * n)%nat.
Proof.
  intros A R. induction few as [|p0 few IH]; intros n ps N F Each.
  - destruct ps; [simpl; lia|]. inversion F as [|? ? (p1 & [] & _) _].
  - assert (Split : exists a b, Permutation ps (a ++ b) /\ Forall (R p0) a /\
      Forall (fun p => exists p1, In p1 few /\ R p1 p) b).
    { clear - F. induction F as [|p ps (p1 & I & Rp) F IH]; [exists [], []; auto|]. destruct IH as (a & b & P & Fa &
      Fb).
      destruct I as [->|I].
      - exists (p :: a), b. split; [simpl; auto|]. auto.
      - exists a, (p :: b). split; [rewrite P; apply Permutation_middle|]. split; auto. constructor; eauto. }
    destruct Split as (a & b & P & Fa & Fb). pose proof (Permutation_NoDup P N) as Nab.
    assert (La : (length a <= n)%nat).
    { apply (Each p0); auto.
      - apply (part_of_nodup _ a (a ++ b)); auto. exists b. auto.
      - intros p I. apply (Permutation_in _ (Permutation_sym P)), in_or_app. auto. }
    assert (Lb : (length b <= length few * n)%nat).
    { apply IH; auto.
      - apply (part_of_nodup _ b (a ++ b)); auto. exists a. apply Permutation_app_comm.
      - intros p1 qs Nq Iq Fq. apply (Each p1); auto. intros p I. apply (Permutation_in _ (Permutation_sym P)),
        in_or_app.
        auto. }
    apply Permutation_length in P. rewrite app_length in P. simpl. lia.
Qed.

(* How late the events at some places are, of what a lead holds, and which places it fixes of what is ahead. *)
Definition reaches_to (x : lead) (far : nat -> Z) (roots : nat -> Prop) : Prop := forall m p v y, all p -> held x m p
  ->
  roots v -> nth_error p v = Some y -> time y <= m + far v.
Definition fixes (x : lead) (roots : nat -> Prop) : Prop := forall p0 p p' v y y', all p -> all p' -> near x p0 p ->
  near x p0 p' -> roots v -> nth_error p v = Some y -> nth_error p' v = Some y' -> y = y'.

(* How many events at a place may be live, and no later than who leads allows. *)
Definition standing_at (maxima : list Z) (lag : Z) (far : nat -> Z) (v : nat) : nat :=
  fit v (nth v maxima 0 + lag + far v).
Lemma an_open_window_starts_late : forall p maxima m v y, m <= closes maxima p -> length maxima = length p ->
  nth_error p v = Some y -> m - nth v maxima 0 <= time y.
Proof.
  intros p maxima m v y Live L Ny. unfold closes, lifetime_closes in Live. apply le_lowest in Live.
  - assert (G : forall ts ms w t x, Forall (fun b => m <= b) (adds ts ms) -> length ts = length ms ->
        nth_error ts w = Some t -> nth w ms 0 = x -> m - x <= t).
    { unfold adds. induction ts as [|t0 ts IH]; intros [|b ms] w t x Fa Lt Nw Ew; try discriminate;
        [destruct w; discriminate|]. simpl in Fa. inversion Fa; subst. destruct w as [|w]; simpl in *.
      - inversion Nw; subst. lia.
      - apply (IH ms w t); auto. }
    apply (G (times p) maxima v (time y) (nth v maxima 0)); auto; [rewrite times_length; lia|].
    unfold times. rewrite nth_error_map, Ny. auto.
  - apply adds_nonempty; [rewrite times_length; lia|]. destruct p; [destruct v; discriminate|discriminate].
Qed.

(* PARTE/JOIN-LEFT, PARTE/NOT-LEFT*, PARTE/SET-LEFT* (specification: size-viable, retention-left). Partial matches of
  any
   number of events: no more than the product along a tree whose roots are as late as who leads them allows; and along
     a
   tree from what is ahead, for each of these. *)
Theorem a_crowd_of_partial_matches_is_no_more_than_is_counted : forall x m lag maxima far roots fixed tree tree_ahead
  ps,
  NoDup ps -> Forall all ps -> length maxima = width -> Forall (fun p => m - lag <= closes maxima p) ps ->
  led_by x m 0 ps -> reaches_to x far roots -> is_a_tree roots tree -> fixes x fixed -> is_a_tree fixed tree_ahead ->
  (length ps <= weights (standing_at maxima lag far) tree +
    allowed x 0 * weights (fun _ => 1%nat) tree_ahead)%nat.
Proof.
  intros x m lag maxima far roots fixed tree tree_ahead ps N F Lm Live (few & Lf & Led) Rc T Fx Ta.
  assert (Split : exists a b, Permutation ps (a ++ b) /\ Forall (held x m) a /\
    Forall (fun p => exists p0, In p0 few /\ near x p0 p) b).
  { clear - Led. induction Led as [|p ps Hp Led IH]; [exists [], []; auto|]. destruct IH as (a & b & P & A & B).
    destruct Hp as [Hp|Hp].
    - exists (p :: a), b. split; [simpl; auto|]. auto.
    - exists a, (p :: b). split; [rewrite P; apply Permutation_middle|]. auto. }
  destruct Split as (a & b & P & A & B). pose proof (Permutation_NoDup P N) as Nab.
  assert (Mem : incl (a ++ b) ps) by (intros p I; apply (Permutation_in _ (Permutation_sym P)); auto).
  assert (La : (length a <= weights (standing_at maxima lag far) tree)%nat).
  { eapply Nat.le_trans; [apply (so_many_along_a_tree (fun v => inr (m - lag - nth v maxima 0, m + far v)) roots tree
    a T)|].
    - apply (part_of_nodup _ a (a ++ b)); auto. exists b. auto.
    - rewrite Forall_forall in *. intros p I. apply F, Mem, in_or_app. auto.
    - rewrite Forall_forall in *. intros p I v y Rv Ny. assert (Ip : In p ps) by (apply Mem, in_or_app; auto). simpl.
      destruct (Their_events p (F p Ip)) as [Lp _]. split; [|apply (Rc m p v y); auto].
      apply (an_open_window_starts_late p maxima (m - lag) v y); auto. lia.
    - apply weights_grow. intros v. unfold standing_at. simpl. apply Nat.eq_le_incl. f_equal. lia. }
  assert (Lb : (length b <= length few * weights (fun _ => 1%nat) tree_ahead)%nat).
  { apply (grouped _ (near x)); auto.
    - apply (part_of_nodup _ b (a ++ b)); auto. exists a. apply Permutation_app_comm.
    - intros p0 qs Nq Iq Fq. destruct qs as [|p1 qs]; [simpl; lia|].
      assert (Fa : Forall all (p1 :: qs)).
      { rewrite Forall_forall in *. intros p I. apply F, Mem, in_or_app. right. apply Iq. auto. }
      eapply Nat.le_trans; [apply (so_many_along_a_tree (fun v => inl (match nth_error p1 v with Some y => [y] | None
        => []
        end)) fixed tree_ahead _ Ta Nq Fa)|].
      + rewrite Forall_forall in *. intros p I v y Rv Ny. simpl.
        assert (A1 : all p1) by (apply Fa; simpl; auto). assert (Ap : all p) by (apply Fa; auto).
        destruct (Their_events p1 A1) as [L1 _], (Their_events p Ap) as [Lp _].
        destruct (nth_error p1 v) as [z|] eqn:Nz.
        * left. apply (Fx p0 p1 p v z y); auto; apply Fq; simpl; auto.
        * apply nth_error_None in Nz. assert (v < length p)%nat by (apply nth_error_Some; congruence). lia.
      + apply weights_grow. intros v. simpl. destruct (nth_error p1 v); simpl; lia. }
  apply Permutation_length in P. rewrite app_length in P.
  assert ((length few * weights (fun _ => 1%nat) tree_ahead <= allowed x 0 * weights (fun _ => 1%nat) tree_ahead)%nat)
    by (apply Nat.mul_le_mono_r; auto). lia.
Qed.

(* PARTE/PROD (specification: emitted-and-external, production-bound). The events that matches emit within a window: no
   more than the product along a tree whose roots lie as far from the emitted event as its spread allows. *)
Theorem so_many_are_emitted_within_a_window : forall generate before after roots tree ps x y, NoDup ps ->
  Forall all ps -> is_a_tree roots tree ->
  (forall p e v z, all p -> generate p = Some e -> roots v -> nth_error p v = Some z ->
    before v <= time e - time z <= after v) ->
  (length (filter (within_window x y) (concat (flat_map (emitted generate) ps))) <=
    weights (fun v => fit v (y - x + (after v - before v))) tree)%nat.
Proof.
  intros generate before after roots tree ps x y N F T Spread.
  set (inside := fun p => match generate p with Some e => within_window x y e | None => false end).
  assert (Eq : length (filter (within_window x y) (concat (flat_map (emitted generate) ps))) = length (filter inside
    ps)).
  { clear. unfold inside, emitted. induction ps as [|p ps IH]; simpl; auto. destruct (generate p) as [e|]; simpl; auto.
    destruct (within_window x y e); simpl; auto. }
  rewrite Eq. eapply Nat.le_trans; [apply (so_many_along_a_tree (fun v => inr (x - after v, y - before v)) roots tree
    _ T)|].
  - apply NoDup_filter. auto.
  - apply Forall_filter. auto.
  - apply Forall_forall. intros p I v z Rv Nz. apply filter_In in I as [I Ins]. rewrite Forall_forall in F.
    unfold inside in Ins. destruct (generate p) as [e|] eqn:G; [|discriminate]. simpl.
    specialize (Spread p e v z (F p I) G Rv Nz). unfold within_window, Sizes.between in Ins.
    apply andb_true_iff in Ins. rewrite !Z.leb_le in Ins. lia.
  - apply weights_grow. intros v. simpl. apply Nat.eq_le_incl. f_equal. lia.
Qed.
End Crowds.
