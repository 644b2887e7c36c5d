(* Where the nodes of each rule are in what is compiled (specification: network-shape): an alpha node and a chain of
   two-input nodes from the entry nodes of its templates, then a terminal node, and its productions after that. *)
From Parte Require Export Adequacy.

Section Places.
Context {E : Events}.

Inductive chain_place (kind_of : link -> kind) (g : network) (entries : list (nat * nat)) : nat -> list link -> nat ->
  Prop :=
| No_link : forall last, chain_place kind_of g entries last [] last
| One_link : forall from a j l ls last,
    nth_error g a = Some (Vertex (Alpha (own l)) [Internal (found (its_template l) entries)]) ->
    nth_error g j = Some (Vertex (kind_of l) [Internal from; Internal a]) ->
    chain_place kind_of g entries j ls last -> chain_place kind_of g entries from (l :: ls) last.
Definition filter_place (g : network) (h : option (partial -> bool)) (w from last : nat) : Prop :=
  match h with
  | Some c => nth_error g last = Some (Vertex (Filtering w c) [Internal from])
  | None => last = from
  end.
Record rule_place (g : network) (entries : list (nat * nat)) (i : nat) (r : rule) (first linked_ collected_ last : nat)
  :
  Prop := RulePlace {
  first_place : nth_error g first = Some (Vertex (Alpha (first_own r)) [Internal (found (first_template r) entries)]);
  link_places : chain_place kind_of_link g entries first (links r) linked_;
  set_places : chain_place kind_of_set g entries linked_ (sets r) collected_;
  having_place : filter_place g (having r) (width (pattern_of r)) collected_ last;
  end_place : nth_error g i = Some (Vertex Terminal [Internal last]);
  emission_places : forall n m, nth_error (emissions r) n = Some m -> nth_error g (S i + n) = Some (production last m)
    }.
Definition has_place (g : network) (entries : list (nat * nat)) (i : nat) (r : rule) : Prop :=
  exists first linked_ collected_ last, rule_place g entries i r first linked_ collected_ last.

Definition productions_of (ir : nat * rule) : list (nat * nat) :=
  combine (map emits (emissions (snd ir))) (seq (S (fst ir)) (length (emissions (snd ir)))).
Variable queues_of : nat -> list nat.
Definition sources_of (b : built) (t : nat) : list source :=
  map External (queues_of t) ++ map Internal (those t (emitters b)).
Record places (b : built) (known : list nat) (rs : list rule) : Prop := Places {
  p_keys : map fst (entry_of b) = known;
  p_entries : forall t, In t known -> nth_error (graph b) (found t (entry_of b)) =
    Some (Vertex (Entry t (length (sources_of b t))) (sources_of b t));
  p_emitters : emitters b = flat_map productions_of (combine (ends b) rs);
  p_rules : Forall2 (fun i r => incl (used r) known /\ has_place (graph b) (entry_of b) i r) (ends b) rs }.

Lemma chain_more : forall kind_of g h entries from ls last, chain_place kind_of g entries from ls last ->
  chain_place kind_of (g ++ h) entries from ls last.
Proof. intros kind_of g h entries from ls last C. induction C; econstructor; eauto using nth_error_more. Qed.
Lemma chain_entries : forall kind_of g entries entries' from ls last, chain_place kind_of g entries from ls last ->
  (forall l, In l ls -> found (its_template l) entries' = found (its_template l) entries) ->
  chain_place kind_of g entries' from ls last.
Proof.
  intros kind_of g entries entries' from ls last C. induction C as [|from a j l ls last A J C IH]; intros H.
  - constructor.
  - econstructor; [rewrite H by (simpl; auto); exact A|exact J|]. apply IH. intros. apply H. simpl. auto.
Qed.
Lemma place_more : forall g h entries entries' i r, has_place g entries i r ->
  (forall t, In t (used r) -> found t entries' = found t entries) -> has_place (g ++ h) entries' i r.
Proof.
  intros g h entries entries' i r (f & k & c & last & [P1 P2 P3 P4 P5 P6]) H. exists f, k, c, last.
  assert (U : forall l, In l (links r ++ sets r) -> found (its_template l) entries' = found (its_template l) entries).
  { intros l I. apply H. simpl. right. apply in_map. auto. }
  constructor.
  - rewrite H by (simpl; auto). apply nth_error_more. auto.
  - eapply chain_entries; [apply chain_more; eauto|]. intros l I. apply U, in_app_iff. auto.
  - eapply chain_entries; [apply chain_more; eauto|]. intros l I. apply U, in_app_iff. auto.
  - unfold filter_place in *. destruct (having r); auto. apply nth_error_more. auto.
  - apply nth_error_more. auto.
  - intros n m M. apply nth_error_more. auto.
Qed.

Lemma chain_added : forall kind_of entries ls g last, exists h last',
  fold_left (add_two_input kind_of entries) ls (g, last) = (g ++ h, last') /\
  chain_place kind_of (g ++ h) entries last ls last'.
Proof.
  intros kind_of entries. induction ls as [|l ls IH]; intros g last.
  - exists [], last. rewrite app_nil_r. split; [auto|constructor].
  - set (alpha := Vertex (Alpha (own l)) [Internal (found (its_template l) entries)]).
    set (v := Vertex (kind_of l) [Internal last; Internal (length g)]).
    destruct (IH ((g ++ [alpha]) ++ [v]) (S (length g))) as (h & last' & Eq & C).
    exists ([alpha] ++ [v] ++ h), last'. rewrite !app_assoc. split; [exact Eq|].
    apply One_link with (a := length g) (j := S (length g)).
    + apply nth_error_more, nth_error_more, nth_error_last.
    + replace (S (length g)) with (length (g ++ [alpha])) by (rewrite app_length; simpl; lia).
      apply nth_error_more, nth_error_last.
    + exact C.
Qed.

Lemma related_lists_are_as_long : forall A B (P : A -> B -> Prop) xs ys, Forall2 P xs ys -> length xs = length ys.
Proof. intros A B P xs ys F. induction F; simpl; auto. Qed.

Lemma rule_placed : forall b r known rs, places b known rs -> incl (used r) known ->
  Forall (fun m => ~ In (emits m) known) (emissions r) -> places (add_rule b r) known (rs ++ [r]).
Proof.
  intros b r known rs [K En Em Ru] U No. unfold add_rule. cbv zeta.
  set (first := Vertex (Alpha (first_own r)) [Internal (found (first_template r) (entry_of b))]).
  destruct (chain_added kind_of_link (entry_of b) (links r) (graph b ++ [first]) (length (graph b))) as (h1 & l1 & E1 &
    C1).
  destruct (chain_added kind_of_set (entry_of b) (sets r) ((graph b ++ [first]) ++ h1) l1) as (h2 & l2 & E2 & C2).
  assert (F0 : fold_left (add_set (entry_of b)) (sets r) (fold_left (add_link (entry_of b)) (links r)
    (graph b ++ [first], length (graph b))) = (((graph b ++ [first]) ++ h1) ++ h2, l2)).
  { exact (eq_trans (f_equal (fold_left (add_set (entry_of b)) (sets r)) E1) E2). }
  assert (F : exists h l, add_filter (having r) (width (pattern_of r)) (fold_left (add_set (entry_of b)) (sets r)
    (fold_left (add_link (entry_of b)) (links r) (graph b ++ [first], length (graph b)))) =
      ((((graph b ++ [first]) ++ h1) ++ h2) ++ h, l) /\
      filter_place ((((graph b ++ [first]) ++ h1) ++ h2) ++ h) (having r) (width (pattern_of r)) l2 l).
  { match goal with |- exists h l, add_filter ?x ?y ?z = _ /\ _ =>
      replace z with (((graph b ++ [first]) ++ h1) ++ h2, l2) by (symmetry; exact F0) end.
    destruct (having r) as [c|]; simpl.
    - eexists _, _. split; [reflexivity|]. apply nth_error_last.
    - exists [], l2. rewrite app_nil_r. auto. }
  destruct F as (h & l & F & Fp).
  match goal with |- context [add_filter ?x ?y ?z] =>
    replace (add_filter x y z) with ((((graph b ++ [first]) ++ h1) ++ h2) ++ h, l) by (symmetry; exact F) end.
  set (g := (((graph b ++ [first]) ++ h1) ++ h2) ++ h) in *.
  set (term := Vertex Terminal [Internal l]). set (prods := map (production l) (emissions r)).
  assert (Eq : (g ++ [term]) ++ prods = graph b ++ ([first] ++ h1 ++ h2 ++ h ++ [term] ++ prods)).
  { unfold g. rewrite <- !app_assoc. auto. }
  assert (Len : length (ends b) = length rs) by (eapply related_lists_are_as_long; eauto).
  assert (New : forall t, In t known -> those t (emitters b ++ combine (map emits (emissions r)) (seq (S (length g))
    (length
    (emissions r)))) = those t (emitters b)).
  { intros t I. rewrite those_app. replace (those t (combine _ _)) with (@nil nat); [apply app_nil_r|].
    clear - No I. generalize (S (length g)). induction (emissions r) as [|m ms IH]; intros n; auto.
    inversion No; subst. unfold those in *. simpl. destruct (Nat.eqb (emits m) t) eqn:Q; auto.
    apply Nat.eqb_eq in Q. congruence. }
  constructor; simpl.
  - auto.
  - intros t I. unfold sources_of. simpl. rewrite New by auto. rewrite Eq. apply nth_error_more. apply En. auto.
  - rewrite Em. clear - Len. revert Len. generalize (ends b). induction rs as [|r' rs IH]; intros [|i is] L; try
    discriminate.
    + simpl. rewrite app_nil_r. auto.
    + simpl. rewrite <- app_assoc, IH; auto.
  - apply Forall2_app.
    + rewrite Eq. clear - Ru. induction Ru as [|i r' is rs [I P] Ru IH]; constructor; auto. split; auto.
      eapply place_more; eauto.
    + constructor; [|constructor]. split; [auto|]. exists (length (graph b)), l1, l2, l. constructor.
      * rewrite Eq. simpl. rewrite nth_error_app2, Nat.sub_diag by lia. auto.
      * rewrite Eq. rewrite !app_assoc. do 4 apply chain_more. exact C1.
      * rewrite Eq. rewrite !app_assoc. do 3 apply chain_more. exact C2.
      * unfold filter_place in *. destruct (having r); auto. apply nth_error_more, nth_error_more. exact Fp.
      * apply nth_error_more, nth_error_last.
      * intros n m M. assert (L : length (g ++ [term]) = S (length g)) by (rewrite app_length; simpl; lia).
        rewrite nth_error_app2 by lia. replace (S (length g) + n - length (g ++ [term]))%nat with n by lia.
        unfold prods. rewrite nth_error_map, M. auto.
Qed.

Lemma entry_placed : forall b t known rs, places b known rs -> ~ In t known ->
  places (add_entry queues_of b t) (known ++ [t]) rs.
Proof.
  intros b t known rs [K En Em Ru] N. constructor; simpl.
  - rewrite map_app, K. auto.
  - intros t' I. unfold sources_of. simpl. apply in_app_iff in I as [I|[<-|[]]].
    + rewrite found_more by congruence. apply nth_error_more. apply En. auto.
    + rewrite found_last by congruence. apply nth_error_last.
  - auto.
  - clear - Ru K. induction Ru as [|i r is rs [I P] Ru IH]; constructor; auto. split.
    + intros x J. apply in_app_iff. auto.
    + eapply place_more; eauto. intros x J. apply found_more. rewrite K. auto.
Qed.

Lemma stratum_placed : forall rs b known rs0, places b known rs0 ->
  Forall (fun r => incl (used r) known /\ Forall (fun m => ~ In (emits m) known) (emissions r)) rs ->
  places (fold_left add_rule rs b) known (rs0 ++ rs).
Proof.
  induction rs as [|r rs IH]; simpl; intros b known rs0 P F; [rewrite app_nil_r; auto|]. inversion F as [|? ? [U N] F'];
    subst.
  replace (rs0 ++ r :: rs) with ((rs0 ++ [r]) ++ rs) by (rewrite <- app_assoc; auto). apply IH; auto.
  apply rule_placed; auto.
Qed.
Lemma entries_placed : forall ts b known rs, places b known rs -> NoDup ts -> Forall (fun t => ~ In t known) ts ->
  places (fold_left (add_entry queues_of) ts b) (known ++ ts) rs.
Proof.
  induction ts as [|t ts IH]; simpl; intros b known rs P N F; [rewrite app_nil_r; auto|].
  inversion N; inversion F; subst. replace (known ++ t :: ts) with ((known ++ [t]) ++ ts) by (rewrite <- app_assoc;
    auto).
  apply IH; auto.
  - apply entry_placed; auto.
  - rewrite Forall_forall in *. intros x I. rewrite in_app_iff. simpl. intros [J|[J|[]]]; [apply (H6 x I J)|congruence].
Qed.

Definition rules_of (p : program) : list rule := flat_map rules p.
Variable reach : Z.
Lemma strata_placed : forall p b known emitted rs, places b known rs -> checked queues_of reach known emitted p ->
  exists known', places (fold_left (add_stratum queues_of) p b) known' (rs ++ rules_of p).
Proof.
  induction p as [|s p IH]; intros b known emitted rs P C.
  - exists known. simpl. rewrite app_nil_r. auto.
  - destruct C as (N & T & R & C). simpl. rewrite app_assoc. eapply IH; [|exact C]. unfold add_stratum.
    apply stratum_placed.
    + apply entries_placed; auto. eapply Forall_impl; [|exact T]. simpl. tauto.
    + eapply Forall_impl; [|exact R]. intros r (_ & U & M). split; auto. eapply Forall_impl; [|exact M]. simpl. tauto.
Qed.

(* Specification: network-shape. *)
Lemma everything_has_its_place : forall p, checked queues_of reach [] [] p ->
  exists known, places (compile queues_of p) known (rules_of p).
Proof.
  intros p C. apply (strata_placed p (Built [] [] [] []) [] [] []); auto. constructor; simpl; auto.
  intros t [].
Qed.
End Places.
