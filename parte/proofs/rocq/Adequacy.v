(* Adequacy: a program compiled and run under any schedule reports exactly what the algebra says (specification:
   sound-agrees). *)
From Parte Require Export Compile.

Section Adequacy.
Context {E : Events}.
Variables (queues_of : nat -> list nat) (reach : Z) (queues : nat -> list token).
Notation value g i := (nth i (values queues g) []).
Notation network_ok g := (sound_network g reach).

(* What the external sources of a template send. *)
Definition sent_from_outside (t : nat) : list partial := flat_map (fun q => payloads (queues q)) (queues_of t).
Hypothesis Typed : forall t q, In q (queues_of t) -> Forall (fun p => of_template t p = true) (payloads (queues q)).

Lemma of_app : forall t a b, of t (a ++ b) = of t a ++ of t b.
Proof. intros. unfold of. rewrite filter_app, map_app. auto. Qed.
Lemma of_typed : forall t s, Forall (fun p => of_template t p = true) (of t s).
Proof. intros. unfold of. apply Forall_map, Forall_forall. intros e I. apply filter_In in I. tauto. Qed.
Lemma those_app : forall t a b, those t (a ++ b) = those t a ++ those t b.
Proof. intros. unfold those. rewrite filter_app, map_app. auto. Qed.
Lemma those_in : forall t j l, In j (those t l) -> In (t, j) l.
Proof.
  unfold those. intros t j l I. apply in_map_iff in I as ([t' j'] & Eq & I). apply filter_In in I as [I B].
  simpl in *. apply Nat.eqb_eq in B. congruence.
Qed.
Lemma found_more : forall t l x, In t (map fst l) -> found t (l ++ x) = found t l.
Proof.
  unfold found. induction l as [|[t' j] l IH]; simpl; intros x I; [contradiction|].
  destruct (Nat.eqb t' t) eqn:Q; auto. apply IH. destruct I as [I|I]; auto. apply Nat.eqb_neq in Q. congruence.
Qed.
Lemma found_last : forall t l j, ~ In t (map fst l) -> found t (l ++ [(t, j)]) = j.
Proof.
  unfold found. induction l as [|[t' j'] l IH]; simpl; intros j N; [rewrite Nat.eqb_refl; auto|].
  destruct (Nat.eqb t' t) eqn:Q; [apply Nat.eqb_eq in Q; intuition|]. apply IH. auto.
Qed.
Lemma flat_map_positions : forall A B (f : option A -> list B) l,
  flat_map (fun k => f (nth_error l k)) (seq 0 (length l)) = flat_map (fun x => f (Some x)) l.
Proof.
  induction l as [|x l IH]; simpl; auto. f_equal. rewrite <- IH, <- seq_shift.
  generalize (seq 0 (length l)). induction l0; simpl; auto. f_equal. auto.
Qed.
Lemma flat_map_of_map : forall A B C (f : A -> B) (g : B -> list C) l, flat_map g (map f l) = flat_map (fun x => g (f
  x)) l.
Proof. induction l; simpl; auto. rewrite IHl. auto. Qed.
Lemma flat_map_values : forall A B (f g : A -> list B) l, (forall x, In x l -> Permutation (f x) (g x)) ->
  Permutation (flat_map f l) (flat_map g l).
Proof. induction l as [|x l IH]; simpl; intros H; auto. apply Permutation_app; auto. Qed.

(* While rules of a stratum are added, its entries carry the stream of the strata below, and `next` is that of the
   strata above. *)
Record good (b : built) (stream next : list event) (known emitted : list nat) (found_so_far : list (list partial)) :
  Prop := Good {
  its_network : network_ok (graph b);
  its_entries : forall t, In t known -> entry_ok queues (graph b) (entry_of b) stream t;
  its_keys : map fst (entry_of b) = known;
  its_emitters : forall t j, In (t, j) (emitters b) ->
    exists u, nth_error (graph b) j = Some u /\ emits_only t (kind_of u);
  its_emitted : map fst (emitters b) = emitted;
  its_pending : forall t, ~ In t known ->
    Permutation (of t next) (sent_from_outside t ++ flat_map (fun j => value (graph b) j) (those t (emitters b)));
  its_known : forall t, In t known -> of t next = of t stream;
  its_externals : forall i v q, nth_error (graph b) i = Some v -> In (External q) (sources v) ->
    exists t slots, kind_of v = Entry t slots /\ In q (queues_of t);
  its_ends : Forall2 (fun i r => (exists v, nth_error (graph b) i = Some v /\ kind_of v = Terminal)
    /\ Permutation (value (graph b) i) r) (ends b) found_so_far }.

Lemma emits_carries : forall g t j u, nth_error g j = Some u -> emits_only t (kind_of u) -> carries g j 1.
Proof. intros g t j u U M. exists u. split; auto. destruct (kind_of u); simpl in *; auto; contradiction. Qed.

Lemma externals_more : forall g h, no_externals h ->
  (forall i v q, nth_error g i = Some v -> In (External q) (sources v) -> exists t slots, kind_of v = Entry t slots /\
    In q (queues_of t)) ->
  forall i v q, nth_error (g ++ h) i = Some v -> In (External q) (sources v) -> exists t slots, kind_of v = Entry t
    slots /\ In q (queues_of t).
Proof.
  intros g h N G i v q V I. destruct (Nat.lt_ge_cases i (length g)) as [L|L].
  - rewrite nth_error_app1 in V by auto. eauto.
  - rewrite nth_error_app2 in V by auto. exfalso. eapply N; [eapply nth_error_In|]; eauto.
Qed.

Lemma ends_more : forall g h l res,
  Forall2 (fun i r => (exists v, nth_error g i = Some v /\ kind_of v = Terminal) /\ Permutation (value g i) r) l res ->
  Forall2 (fun i r => (exists v, nth_error (g ++ h) i = Some v /\ kind_of v = Terminal) /\ Permutation (value (g ++ h)
    i) r) l res.
Proof.
  intros g h l res F. induction F as [|i r l res [(v & V & T) P] F IH]; constructor; auto. split.
  - exists v. split; auto. apply nth_error_more. auto.
  - rewrite value_more; auto. apply nth_error_Some. congruence.
Qed.

Lemma pending_more : forall g h l, (forall t j, In (t, j) l -> exists u, nth_error g j = Some u /\ emits_only t
  (kind_of u)) ->
  forall t, flat_map (fun j => value (g ++ h) j) (those t l) = flat_map (fun j => value g j) (those t l).
Proof.
  intros g h l H t. apply flat_map_same. intros j I. apply those_in in I. destruct (H t j I) as (u & U & _).
  apply value_more. apply nth_error_Some. congruence.
Qed.

Lemma entry_added : forall b stream known emitted res t, good b stream stream known emitted res -> ~ In t known ->
  (queues_of t <> [] \/ In t emitted) -> good (add_entry queues_of b t) stream stream (known ++ [t]) emitted res.
Proof.
  intros b stream known emitted res t G N S. unfold add_entry.
  set (from := map External (queues_of t) ++ map Internal (those t (emitters b))).
  set (v := Vertex (Entry t (length from)) from).
  assert (Int : forall j, In (Internal j) from -> In (t, j) (emitters b)).
  { intros j I. apply in_app_iff in I as [I|I]; apply in_map_iff in I as (x & Eq & I); inversion Eq; subst.
    apply those_in. auto. }
  assert (Net : network_ok (graph b ++ [v])).
  { apply add_vertex; [apply G|]. constructor.
    - simpl. split.
      + unfold from. rewrite app_length, !map_length. destruct S as [S|S].
        * destruct (queues_of t); simpl; [easy|lia].
        * rewrite <- (its_emitted _ _ _ _ _ _ G) in S. apply in_map_iff in S as ([t' j] & Eq & I). simpl in Eq. subst
          t'.
          assert (In j (those t (emitters b))).
          { unfold those. apply in_map_iff. exists (t, j). split; auto. apply filter_In. split; auto. simpl. apply
            Nat.eqb_refl. }
          destruct (those t (emitters b)); simpl in *; [contradiction|lia].
      + unfold widths. simpl. rewrite <- (map_length (width_of_source (graph b))).
        assert (One : forall s, In s from -> width_of_source (graph b) s = 1%nat).
        { intros [q|j] I; auto. destruct (its_emitters _ _ _ _ _ _ G t j (Int j I)) as (u & U & M). simpl. rewrite U.
          destruct (kind_of u); simpl in *; auto; contradiction. }
        clear - One. induction from as [|s l IH]; simpl; auto. rewrite One by (simpl; auto). f_equal. apply IH.
        intros. apply One. simpl. auto.
    - simpl. intros j I. destruct (its_emitters _ _ _ _ _ _ G t j (Int j I)) as (u & U & M). split.
      + apply nth_error_Some. congruence.
      + exists u. split; auto. destruct (kind_of u); simpl in *; auto; contradiction.
    - simpl. intros n slots j Eq I. inversion Eq; subst. apply (its_emitters _ _ _ _ _ _ G). apply Int. auto. }
  assert (Val : Permutation (value (graph b ++ [v]) (length (graph b))) (of t stream)).
  { rewrite value_last. unfold valued, v. simpl.
    rewrite (flat_map_positions _ _ (fun s => looked_up queues (values queues (graph b)) s) from).
    unfold from. rewrite flat_map_app, !flat_map_of_map. simpl.
    pose proof (its_pending _ _ _ _ _ _ G t N) as P. unfold sent_from_outside in P.
    rewrite <- (filter_permutation (of_template t) _ _ P). rewrite filter_all; auto. apply of_typed. }
  constructor; simpl.
  - auto.
  - intros t' I. apply in_app_iff in I as [I|[->|[]]].
    + unfold entry_ok. rewrite found_more by (rewrite (its_keys _ _ _ _ _ _ G); auto).
      apply entry_ok_more. apply (its_entries _ _ _ _ _ _ G); auto.
    + unfold entry_ok. rewrite found_last by (rewrite (its_keys _ _ _ _ _ _ G); auto). split; auto.
      exists v. split; [apply nth_error_last|]. auto.
  - rewrite map_app, (its_keys _ _ _ _ _ _ G). auto.
  - intros t' j I. destruct (its_emitters _ _ _ _ _ _ G t' j I) as (u & U & M). exists u. split; auto.
    apply nth_error_more. auto.
  - apply G.
  - intros t' N'. rewrite pending_more by apply G. apply G. rewrite in_app_iff in N'. tauto.
  - auto.
  - intros i u q U I. destruct (Nat.lt_ge_cases i (length (graph b))) as [L|L].
    + rewrite nth_error_app1 in U by auto. eapply its_externals; eauto.
    + assert (u = v).
      { rewrite nth_error_app2 in U by auto. destruct (i - length (graph b))%nat as [|[|k]]; simpl in U; congruence. }
      subst u. simpl in I. unfold from in I. apply in_app_iff in I as [I|I]; apply in_map_iff in I as (x & Eq & I);
        inversion Eq; subst.
      exists t, (length from). auto.
  - apply ends_more. apply G.
Qed.

Lemma entries_added : forall ts b stream known emitted res, good b stream stream known emitted res -> NoDup ts ->
  Forall (fun t => ~ In t known /\ (queues_of t <> [] \/ In t emitted)) ts ->
  good (fold_left (add_entry queues_of) ts b) stream stream (known ++ ts) emitted res.
Proof.
  induction ts as [|t ts IH]; intros b stream known emitted res G N F; simpl; [rewrite app_nil_r; auto|].
  inversion N; subst. inversion F as [|? ? [F1 F2] F3]; subst.
  replace (known ++ t :: ts) with ((known ++ [t]) ++ ts) by (rewrite <- app_assoc; auto). apply IH; auto.
  - apply entry_added; auto.
  - eapply Forall_impl; [|apply Forall_and; [exact F3|apply Forall_forall; intros x Hx; exact Hx]].
    simpl. intros t' [[A B] C]. split; auto. rewrite in_app_iff. simpl. intros [D|[D|[]]]; auto. subst. contradiction.
Qed.

Lemma productions_added : forall ms g last w V, network_ok g -> carries g last w -> Permutation (value g last) V ->
  Forall (emission_checked w) ms -> Forall (fun v => length v = w) V ->
  let g' := g ++ map (production last) ms in
  let made := combine (map emits ms) (seq (length g) (length ms)) in
  network_ok g' /\
  (forall t j, In (t, j) made -> exists u, nth_error g' j = Some u /\ emits_only t (kind_of u)) /\
  (forall t, Permutation (of t (flat_map (emitted_by V) ms)) (flat_map (fun j => value g' j) (those t made))).
Proof.
  induction ms as [|m ms IH]; intros g last w V G C P F W; simpl.
  - rewrite app_nil_r. split; [auto|split; [intros t j []|auto]].
  - inversion F as [|? ? (M1 & M2 & M3 & M4 & M5) F']; subst.
    assert (G1 : network_ok (g ++ [production last m])).
    { apply add_vertex; auto. apply one_source with w; auto; [|intros; discriminate].
      simpl. exists w. repeat split; auto. }
    assert (C1 : carries (g ++ [production last m]) last w) by (apply carries_more; auto).
    assert (P1 : Permutation (value (g ++ [production last m]) last) V).
    { rewrite value_more; auto. eapply carries_lt; eauto. }
    destruct (IH _ last w V G1 C1 P1 F' W) as (I1 & I2 & I3). rewrite <- app_assoc in I1, I2, I3. simpl in I1, I2, I3.
    rewrite app_length in I2, I3. simpl in I2, I3. rewrite Nat.add_1_r in I2, I3.
    assert (U : nth_error (g ++ production last m :: map (production last) ms) (length g) = Some (production last m)).
    { rewrite nth_error_app2, Nat.sub_diag by lia. auto. }
    split; [auto|split].
    + intros t j [Eq|I]; [|auto]. inversion Eq; subst. exists (production last m). split; auto.
    + intros t.
      assert (Val : Permutation (value (g ++ production last m :: map (production last) ms) (length g)) (flat_map
        (emitted (generate m)) V)).
      { replace (g ++ production last m :: map (production last) ms) with ((g ++ [production last m]) ++ map
        (production last) ms)
          by (rewrite <- app_assoc; auto).
        rewrite value_more by (rewrite app_length; simpl; lia). rewrite value_last. unfold valued. simpl.
        apply Permutation_flat_map. auto. }
      assert (Em : flat_map (emitted (generate m)) V = of (emits m) (emitted_by V m) /\ (forall t, t <> emits m -> of
        t (emitted_by V m) = [])).
      { clear - M5. unfold emitted_by, of. split.
        - induction V as [|v V IH]; simpl; auto. unfold emitted at 1. destruct (generate m v) as [e|] eqn:Ge; auto.
          simpl. rewrite (M5 _ _ Ge), Nat.eqb_refl. simpl. f_equal. auto.
        - intros t N. induction V as [|v V IH]; simpl; auto. destruct (generate m v) as [e|] eqn:Ge; auto.
          simpl. rewrite (M5 _ _ Ge). destruct (Nat.eqb (emits m) t) eqn:Q; auto. apply Nat.eqb_eq in Q. congruence. }
      destruct Em as [Em1 Em2]. rewrite of_app. unfold those. simpl. destruct (Nat.eqb (emits m) t) eqn:Q.
      * apply Nat.eqb_eq in Q. subst t. simpl. apply Permutation_app; [|apply I3]. rewrite <- Em1. symmetry. auto.
      * apply Nat.eqb_neq in Q. rewrite Em2 by auto. simpl. apply I3.
Qed.

Lemma rule_added : forall b stream next known emitted res r, good b stream next known emitted res -> rule_checked
  reach known r ->
  good (add_rule b r) stream (next ++ emitted_events stream r) known (emitted ++ map emits (emissions r))
    (res ++ [evaluate stream (pattern_of r)]).
Proof.
  intros b stream next known emitted res r G (Ck & Use & Em). unfold add_rule. cbv zeta.
  set (first := Vertex (Alpha (first_own r)) [Internal (found (first_template r) (entry_of b))]).
  assert (Ent : forall t, In t (used r) -> entry_ok queues (graph b) (entry_of b) stream t).
  { intros t I. apply (its_entries _ _ _ _ _ _ G). auto. }
  destruct (alpha_built reach queues (graph b) (entry_of b) stream (first_template r) (first_own r) (its_network _ _ _
    _ _ _ G)) as (G1 & C1 & P1).
  { apply Ent. simpl. auto. }
  fold first in G1, C1, P1.
  destruct Ck as [Ck CkS].
  assert (Used : forall l, In l (links r ++ sets r) -> entry_ok queues (graph b) (entry_of b) stream (its_template l)).
  { intros l I. apply Ent. simpl. right. apply in_map. auto. }
  destruct (chain_built reach queues (entry_of b) stream (links r) (graph b ++ [first]) (length (graph b)) (single
    (first_template r) (first_own r)))
    as (h1 & last1 & F1 & G2 & C2 & P2 & N1 & Pos); auto.
  { apply Forall_map, Forall_forall. intros l I. apply entry_ok_more, Used, in_app_iff. auto. }
  set (chain := fold_left linked (links r) (single (first_template r) (first_own r))) in *.
  assert (Wd : width (pattern_of r) = width chain).
  { unfold pattern_of. rewrite filtered_width, collected_width. auto. }
  destruct (sets_built reach queues (entry_of b) stream (sets r) ((graph b ++ [first]) ++ h1) last1 chain)
    as (h2 & last2 & F2 & G2' & C2' & P2' & N2'); auto.
  { rewrite <- Wd. auto. }
  { apply Forall_map, Forall_forall. intros l I. rewrite <- app_assoc. apply entry_ok_more, Used, in_app_iff. auto. }
  rewrite <- (collected_width (sets r) chain) in Wd.
  destruct (filter_built reach queues stream (having r) (((graph b ++ [first]) ++ h1) ++ h2) last2
    (fold_left collected (sets r) chain)) as (h3 & last & F3 & G2'' & C2'' & P2'' & N2''); auto.
  clear G2 C2 P2 G2' C2' P2'. rename G2'' into G2, C2'' into C2, P2'' into P2.
  set (h := h1 ++ h2 ++ h3).
  assert (Eqh : (((graph b ++ [first]) ++ h1) ++ h2) ++ h3 = (graph b ++ [first]) ++ h).
  { unfold h. rewrite <- !app_assoc. auto. }
  assert (N2 : no_externals h) by (unfold h; auto using no_externals_app).
  rewrite Eqh in *.
  assert (F : add_filter (having r) (width (pattern_of r)) (fold_left (add_set (entry_of b)) (sets r)
    (fold_left (add_link (entry_of b)) (links r) (graph b ++ [first], length (graph b))))
    = ((graph b ++ [first]) ++ h, last)).
  { rewrite Wd. refine (eq_trans (f_equal (add_filter _ _) (eq_trans _ F2)) F3).
    exact (f_equal (fold_left (add_set (entry_of b)) (sets r)) F1). }
  match goal with |- context [add_filter ?x ?y ?z] =>
    replace (add_filter x y z) with ((graph b ++ [first]) ++ h, last) by (symmetry; exact F) end.
  fold chain in P2. change (filtered (having r) (fold_left collected (sets r) chain)) with (pattern_of r) in *.
  set (g := (graph b ++ [first]) ++ h) in *. set (term := Vertex Terminal [Internal last]).
  assert (G3 : network_ok (g ++ [term])).
  { apply add_vertex; auto. apply one_source with (width (pattern_of r)); auto; [|intros; discriminate]. simpl. eauto. }
  assert (C3 : carries (g ++ [term]) last (width (pattern_of r))) by (apply carries_more; auto).
  assert (P3 : Permutation (value (g ++ [term]) last) (evaluate stream (pattern_of r))).
  { rewrite value_more; auto. eapply carries_lt; eauto. }
  assert (Em' : Forall (emission_checked (width (pattern_of r))) (emissions r)).
  { eapply Forall_impl; [|exact Em]. simpl. tauto. }
  assert (W : Forall (fun v => length v = width (pattern_of r)) (evaluate stream (pattern_of r))).
  { apply Forall_forall. intros v. apply evaluate_width. }
  destruct (productions_added (emissions r) (g ++ [term]) last _ _ G3 C3 P3 Em' W) as (G4 & M4 & V4).
  set (g' := (g ++ [term]) ++ map (production last) (emissions r)) in *.
  assert (Eq : g' = graph b ++ ([first] ++ h ++ [term] ++ map (production last) (emissions r))).
  { unfold g', g. rewrite <- !app_assoc. auto. }
  assert (NoExt : no_externals ([first] ++ h ++ [term] ++ map (production last) (emissions r))).
  { intros v q I. apply in_app_iff in I as [[<-|[]]|I]; [simpl; intros [X|[]]; discriminate|].
    apply in_app_iff in I as [I|I]; [apply N2; auto|]. apply in_app_iff in I as [[<-|[]]|I]; [simpl; intros [X|[]];
      discriminate|].
    apply in_map_iff in I as (m & <- & _). simpl. intros [X|[]]; discriminate. }
  assert (Len : length (g ++ [term]) = S (length g)) by (rewrite app_length; simpl; lia). rewrite Len in M4, V4.
  constructor; simpl; fold g'.
  - auto.
  - intros t I. rewrite Eq. apply entry_ok_more. apply (its_entries _ _ _ _ _ _ G); auto.
  - apply G.
  - intros t j I. apply in_app_iff in I as [I|I]; [|apply M4; auto].
    destruct (its_emitters _ _ _ _ _ _ G t j I) as (u & U & M). exists u. split; auto. rewrite Eq. apply
      nth_error_more. auto.
  - rewrite map_app, (its_emitted _ _ _ _ _ _ G). f_equal.
    assert (L : forall (a : list nat) n, map fst (combine a (seq n (length a))) = a).
    { induction a; simpl; intros; auto. f_equal. auto. }
    rewrite <- (map_length emits). apply L.
  - intros t N. rewrite of_app, those_app, flat_map_app.
    rewrite (its_pending _ _ _ _ _ _ G t N), <- app_assoc. apply Permutation_app_head. apply Permutation_app; [|apply
      V4].
    rewrite Eq, pending_more by apply G. auto.
  - intros t I. rewrite of_app, (its_known _ _ _ _ _ _ G t I).
    replace (of t (emitted_events stream r)) with (@nil partial); [apply app_nil_r|].
    unfold emitted_events. clear - Em I. induction Em as [|m ms [(_ & _ & _ & _ & M) N] Em IH]; simpl; auto.
    rewrite of_app, <- IH, app_nil_r. unfold emitted_by, of. clear IH Em.
    induction (evaluate stream (pattern_of r)) as [|v V IHV]; simpl; auto.
    destruct (generate m v) as [e|] eqn:Ge; [|exact IHV]. simpl. rewrite (M _ _ Ge).
    destruct (Nat.eqb (emits m) t) eqn:Q; [|exact IHV]. apply Nat.eqb_eq in Q. subst. contradiction.
  - rewrite Eq. apply externals_more; auto. apply G.
  - apply Forall2_app.
    + rewrite Eq. apply ends_more. apply G.
    + constructor; [|constructor]. split.
      * exists term. split; auto. unfold g'. apply nth_error_more. apply nth_error_last.
      * unfold g'. rewrite value_more by (rewrite Len; lia). rewrite value_last. unfold valued. simpl. auto.
Qed.

Lemma rules_added : forall rs b stream next known emitted res, good b stream next known emitted res ->
  Forall (rule_checked reach known) rs ->
  good (fold_left add_rule rs b) stream (next ++ flat_map (emitted_events stream) rs) known
    (emitted ++ flat_map (fun r => map emits (emissions r)) rs) (res ++ map (fun r => evaluate stream (pattern_of r))
      rs).
Proof.
  induction rs as [|r rs IH]; intros b stream next known emitted res G F; simpl; [rewrite !app_nil_r; auto|].
  inversion F; subst.
  replace (res ++ evaluate stream (pattern_of r) :: map (fun r => evaluate stream (pattern_of r)) rs)
    with ((res ++ [evaluate stream (pattern_of r)]) ++ map (fun r => evaluate stream (pattern_of r)) rs) by (rewrite
      <- app_assoc; auto).
  rewrite !app_assoc. apply IH; auto. apply rule_added; auto.
Qed.

Lemma strata_added : forall p b stream known emitted res, good b stream stream known emitted res ->
  checked queues_of reach known emitted p ->
  exists stream' known' emitted',
  good (fold_left (add_stratum queues_of) p b) stream' stream' known' emitted' (res ++ results p stream).
Proof.
  induction p as [|s p IH]; intros b stream known emitted res G Ck; simpl.
  - rewrite app_nil_r. eauto.
  - simpl in Ck. destruct Ck as (N & F & R & Ck).
    pose proof (entries_added _ _ _ _ _ _ G N F) as G1.
    pose proof (rules_added _ _ _ _ _ _ _ G1 R) as G2. fold (add_stratum queues_of b s) in G2. rewrite app_assoc.
    eapply IH; [|exact Ck]. destruct G2. constructor; auto.
    intros t I. destruct (its_entries0 t I) as [C P]. split; auto. rewrite P, its_known0; auto.
Qed.

(* ---- The theorem
   ----------------------------------------------------------------------------------------------------- *)

Variables (p : program) (stream : list event).
Hypothesis Checked : checked queues_of reach [] [] p.
(* The events of the stream, template by template, are those that the sources send, in whatever order. *)
Hypothesis Arriving : forall t, Permutation (of t stream) (sent_from_outside t).
Hypothesis Honest : forall q, honest 1 (queues q).
Let net := graph (compile queues_of p).

Lemma compiled : exists stream' known emitted, good (compile queues_of p) stream' stream' known emitted (results p
  stream).
Proof.
  apply (strata_added p (Built [] [] [] []) stream [] [] []); auto. constructor; simpl; auto.
  - intros i v V. destruct i; discriminate.
  - intros t [].
  - intros t j [].
  - intros t _. rewrite app_nil_r. auto.
  - intros i v q V. destruct i; discriminate.
Qed.

Lemma compiled_soundly : sound_network net reach.
Proof. destruct compiled as (s & k & e & G). apply G. Qed.

Lemma own_templates_kept : own_templates net queues.
Proof.
  destruct compiled as (s & k & e & G). intros i v n slots q V K I.
  destruct (its_externals _ _ _ _ _ _ G i v q V I) as (t & sl & Eq & J). rewrite Eq in K. inversion K; subst. auto.
Qed.

Lemma values_are_results : Forall2 (fun i r => (exists v, nth_error net i = Some v /\ kind_of v = Terminal)
  /\ Permutation (value net i) r) (ends (compile queues_of p)) (results p stream).
Proof. destruct compiled as (s & k & e & G). apply G. Qed.

Hypothesis Ended : forall t q, In q (queues_of t) -> ended infinity (queues q).
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

Lemma sources_ended : forall i v q, nth_error net i = Some v -> In (External q) (sources v) -> ended infinity (queues
  q).
Proof.
  destruct compiled as (s & k & e & G). intros i v q V I.
  destruct (its_externals _ _ _ _ _ _ G i v q V I) as (t & sl & _ & J). eauto.
Qed.

(* Theorem (adequacy; specification: sound-agrees). For every program that passes the checks, every family of sources
   that keep their promises and end, and every run without capacities that rests, whatever the order of its steps: each
   rule has reported exactly its values in the algebra, each once. *)
Theorem a_run_that_rests_has_reported_what_the_algebra_says : forall c,
  reaches net (fun _ => unlimited) (start net queues) c -> final net (fun _ => unlimited) c ->
  Forall2 (fun i r => Permutation (reported (state c i)) r) (ends (compile queues_of p)) (results p stream).
Proof.
  intros c R F. pose proof values_are_results as V. induction V as [|i r l res [(v & Vi & T) P] V IH]; constructor;
    auto.
  rewrite <- P. eapply a_run_that_rests_has_reported_exactly_the_values; eauto.
  - apply compiled_soundly.
  - apply own_templates_kept.
  - apply sources_ended.
  - rewrite T. auto.
Qed.

End Adequacy.

(* What the theorems about networks ask for holds of every checked program (specification: network-shape). *)
Theorem a_checked_program_compiles_to_a_sound_network : forall {E : Events} queues_of reach p,
  checked queues_of reach [] [] p -> sound_network (graph (compile queues_of p)) reach.
Proof.
  intros E queues_of reach p C. apply (compiled_soundly queues_of reach (fun _ => []) p []); auto.
  intros t. unfold sent_from_outside. induction (queues_of t); simpl; auto.
Qed.
