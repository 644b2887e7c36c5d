(* The compilation of programs into networks (semantics/partelang/compilation.py; specification: network-shape): entry
   nodes and rules, stratum by stratum; and that the value of every terminal vertex is what the algebra says of its
   rule. *)
From Parte Require Export Weakened Algebra.

Section Compile.
Context {E : Events}.

Record built := Built {
  graph : network; entry_of : list (nat * nat); emitters : list (nat * nat); ends : list nat }.
Definition found (t : nat) (l : list (nat * nat)) : nat :=
  match find (fun x => Nat.eqb (fst x) t) l with Some x => snd x | None => 0%nat end.
Definition those (t : nat) (l : list (nat * nat)) : list nat := map snd (filter (fun x => Nat.eqb (fst x) t) l).

(* The queues of the external sources of each template (specification: entry-merge, silent-templates). *)
Variable queues_of : nat -> list nat.

Definition add_entry (b : built) (t : nat) : built :=
  let from := map External (queues_of t) ++ map Internal (those t (emitters b)) in
  Built (graph b ++ [Vertex (Entry t (length from)) from]) (entry_of b ++ [(t, length (graph b))]) (emitters b) (ends
    b).
Definition kind_of_link (l : link) : kind :=
  TwoInput (negated l) (map fst (windows l)) (map snd (windows l)) (joint l).
Definition kind_of_set (l : link) : kind :=
  Collecting (map fst (windows l)) (map snd (windows l)) (joint l).
Definition add_two_input (kind_of : link -> kind) (entries : list (nat * nat)) (g : network * nat) (l : link) :
  network * nat :=
  let '(g, last) := g in
  ((g ++ [Vertex (Alpha (own l)) [Internal (found (its_template l) entries)]])
     ++ [Vertex (kind_of l) [Internal last; Internal (length g)]], S (length g)).
Definition add_link := add_two_input kind_of_link.
Definition add_set := add_two_input kind_of_set.
Definition add_filter (h : option (partial -> bool)) (width : nat) (g : network * nat) : network * nat :=
  match h with
  | Some condition => let '(g, last) := g in (g ++ [Vertex (Filtering width condition) [Internal last]], length g)
  | None => g
  end.
Definition production (last : nat) (m : emission) : vertex :=
  Vertex (Production (generate m) (at_bounds m) (lag m)) [Internal last].
Definition add_rule (b : built) (r : rule) : built :=
  let first := Vertex (Alpha (first_own r)) [Internal (found (first_template r) (entry_of b))] in
  let chain := fold_left (add_link (entry_of b)) (links r) (graph b ++ [first], length (graph b)) in
  let '(g, last) :=
    add_filter (having r) (width (pattern_of r)) (fold_left (add_set (entry_of b)) (sets r) chain) in
  Built ((g ++ [Vertex Terminal [Internal last]]) ++ map (production last) (emissions r)) (entry_of b)
    (emitters b ++ combine (map emits (emissions r)) (seq (S (length g)) (length (emissions r)))) (ends b ++ [length
      g]).
Definition add_stratum (b : built) (s : stratum) : built :=
  fold_left add_rule (rules s) (fold_left add_entry (templates s) b).
Definition compile (p : program) : built := fold_left add_stratum p (Built [] [] [] []).

(* ---- What the checks establish ------------------------------------------------------------------------------------
   *)

Variable reach : Z.

Definition link_checked (w : nat) (l : link) : Prop :=
  length (windows l) = w /\ in_reach reach (map fst (windows l)) /\ in_reach reach (map snd (windows l)).
Definition emission_checked (w : nat) (m : emission) : Prop :=
  0 <= lag m /\ monotone w (at_bounds m)
  /\ (forall v e, length v = w -> generate m v = Some e -> at_bounds m (times v) <= time e)
  /\ (forall x b, length b = w -> Forall (fun y => x <= y) b -> x - lag m <= at_bounds m b)
  /\ (forall v e, generate m v = Some e -> template e = emits m).
Fixpoint links_checked (w : nat) (ls : list link) : Prop :=
  match ls with
  | [] => True
  | l :: more => link_checked w l /\ links_checked (if negated l then w else S w) more
  end.
Definition used (r : rule) : list nat := first_template r :: map its_template (links r ++ sets r).
Definition rule_checked (known : list nat) (r : rule) : Prop :=
  (links_checked 1 (links r) /\ Forall (link_checked (width (pattern_of r))) (sets r)) /\ incl (used r) known
  /\ Forall (fun m => emission_checked (width (pattern_of r)) m /\ ~ In (emits m) known) (emissions r).
(* Every template has its stratum, above those of the rules that emit it; every one has a source. *)
Fixpoint checked (known emitted : list nat) (p : program) : Prop :=
  match p with
  | [] => True
  | s :: above =>
      NoDup (templates s) /\ Forall (fun t => ~ In t known /\ (queues_of t <> [] \/ In t emitted)) (templates s)
      /\ Forall (rule_checked (known ++ templates s)) (rules s)
      /\ checked (known ++ templates s) (emitted ++ flat_map (fun r => map emits (emissions r)) (rules s)) above
  end.

(* ---- Soundness of what is built
   ------------------------------------------------------------------------------------ *)

Variable queues : nat -> list token.
Notation value g i := (nth i (values queues g) []).
Notation network_ok g := (sound_network g reach).

Definition carries (g : network) (j w : nat) : Prop :=
  exists u, nth_error g j = Some u /\ is_terminal (kind_of u) = false /\ width_of (kind_of u) = w.

Lemma nth_error_more : forall A (g h : list A) j u, nth_error g j = Some u -> nth_error (g ++ h) j = Some u.
Proof. intros. rewrite nth_error_app1; auto. apply nth_error_Some. congruence. Qed.
Lemma nth_error_last : forall A (g : list A) v, nth_error (g ++ [v]) (length g) = Some v.
Proof. intros. rewrite nth_error_app2 by lia. rewrite Nat.sub_diag. auto. Qed.
Lemma carries_more : forall g h j w, carries g j w -> carries (g ++ h) j w.
Proof. intros g h j w (u & U & H). exists u. split; auto. apply nth_error_more. auto. Qed.
Lemma carries_lt : forall g j w, carries g j w -> (j < length g)%nat.
Proof. intros g j w (u & U & _). apply nth_error_Some. congruence. Qed.

Lemma value_more : forall g h i, (i < length g)%nat -> value (g ++ h) i = value g i.
Proof. intros. apply values_prefix. auto. Qed.
Lemma value_last : forall g v, value (g ++ [v]) (length g) = valued queues (values queues g) v.
Proof. intros. rewrite values_snoc, app_nth2; rewrite values_length; [|lia]. rewrite Nat.sub_diag. auto. Qed.

Lemma sound_at_more : forall g h i v, sound_at g reach i v -> (i <= length g)%nat -> sound_at (g ++ h) reach i v.
Proof.
  intros g h i v [K S T] L. constructor.
  - replace (widths (g ++ h) v) with (widths g v); auto. unfold widths. apply map_ext_in. intros [q|j] I; auto.
    destruct (S j I) as (Lj & u & U & _). simpl. rewrite U, (nth_error_more _ _ _ _ _ U). auto.
  - intros j I. destruct (S j I) as (Lj & u & U & N). split; auto. exists u. split; auto. apply nth_error_more. auto.
  - intros n slots j Eq I. destruct (T n slots j Eq I) as (u & U & M). exists u. split; auto. apply nth_error_more.
    auto.
Qed.

Lemma add_vertex : forall g v, network_ok g -> sound_at g reach (length g) v -> network_ok (g ++ [v]).
Proof.
  intros g v G S i u U. destruct (Nat.lt_ge_cases i (length g)) as [L|L].
  - rewrite nth_error_app1 in U by auto. apply sound_at_more; [apply G; auto|lia].
  - assert (i = length g).
    { assert (i < length (g ++ [v]))%nat by (apply nth_error_Some; congruence). rewrite app_length in H. simpl in H.
      lia. }
    subst. rewrite nth_error_last in U. inversion U; subst. apply sound_at_more; auto.
Qed.

Lemma one_source : forall g k j w, carries g j w -> well_formed reach k [w] -> (forall n slots, k <> Entry n slots) ->
  sound_at g reach (length g) (Vertex k [Internal j]).
Proof.
  intros g k j w C W N. pose proof (carries_lt _ _ _ C). destruct C as (u & U & T & Wu). constructor; simpl.
  - unfold widths. simpl. rewrite U, Wu. auto.
  - intros j' [Eq|[]]. inversion Eq; subst. eauto.
  - intros n slots j' Eq. exfalso. eapply N. eauto.
Qed.

Lemma two_sources : forall g k i j w w', carries g i w -> carries g j w' -> well_formed reach k [w; w'] ->
  (forall n slots, k <> Entry n slots) -> sound_at g reach (length g) (Vertex k [Internal i; Internal j]).
Proof.
  intros g k i j w w' C C' W N. pose proof (carries_lt _ _ _ C). pose proof (carries_lt _ _ _ C').
  destruct C as (u & U & T & Wu). destruct C' as (u' & U' & T' & Wu'). constructor; simpl.
  - unfold widths. simpl. rewrite U, U', Wu, Wu'. auto.
  - intros j' [Eq|[Eq|[]]]; inversion Eq; subst; eauto.
  - intros n slots j' Eq. exfalso. eapply N. eauto.
Qed.

(* ---- A link
   ---------------------------------------------------------------------------------------------------------- *)

Lemma within_is_matches : forall l a b, length a = length (windows l) -> length b = 1%nat -> windows l <> [] ->
  matches (map fst (windows l)) (map snd (windows l)) (joint l) a b = joint l (a ++ b) && within (windows l) (a ++ b).
Proof.
  intros l a b La Lb N. unfold matches, within, opens, closes. rewrite andb_comm. f_equal.
  rewrite lifetime_is_the_windows.
  - rewrite <- La, firstn_app, Nat.sub_diag, firstn_all, skipn_app, skipn_all, Nat.sub_diag. simpl.
    rewrite app_nil_r. auto.
  - intro T0. apply (f_equal (@length BinNums.Z)) in T0. rewrite times_length, La in T0. destruct (windows l); simpl
    in T0; easy.
  - rewrite times_length, map_length. auto.
  - rewrite times_length, map_length. auto.
Qed.

Lemma filter_of_map : forall A B (f : A -> B) g l, filter g (map f l) = map f (filter (fun x => g (f x)) l).
Proof. induction l; simpl; auto. destruct (g (f a)); simpl; rewrite IHl; auto. Qed.
Lemma forallb_filter : forall A (f g : A -> bool) l, forallb f (filter g l) = forallb (fun x => negb (g x) || f x) l.
Proof. induction l; simpl; auto. destruct (g a); simpl; rewrite IHl; auto. Qed.
Lemma forallb_same : forall A (f g : A -> bool) l, (forall x, In x l -> f x = g x) -> forallb f l = forallb g l.
Proof. induction l as [|a l IH]; simpl; intros H; auto. rewrite (H a), IH; auto. Qed.

Lemma link_value : forall stream p l, width p = length (windows l) -> windows l <> [] ->
  value_of (kind_of_link l) (fun k => match k with
    | O => evaluate stream p | 1 => filter (meets (own l)) (of (its_template l) stream) | _ => [] end%nat)
  = evaluate stream (linked p l).
Proof.
  intros stream p l W N. unfold kind_of_link, linked, beside. destruct (negated l); simpl.
  - apply filter_ext_in. intros a Ha. unfold undefeated. rewrite forallb_filter. apply forallb_same. intros b Hb.
    assert (La : length a = length (windows l)) by (rewrite <- W; eapply evaluate_width; eauto).
    assert (Lb : length b = 1%nat) by (unfold of in Hb; apply in_map_iff in Hb as (e & <- & _); auto).
    rewrite within_is_matches by auto. rewrite <- La, skipn_app, skipn_all, Nat.sub_diag. simpl.
    symmetry. apply negb_andb.
  - unfold joined. rewrite filter_of_map. f_equal. apply filter_ext_in. intros [a b] I. simpl.
    apply in_prod_iff in I as [Ia Ib]. apply within_is_matches; auto.
    + rewrite <- W. eapply evaluate_width; eauto.
    + apply filter_In in Ib as [Ib _]. unfold of in Ib. apply in_map_iff in Ib as (e & <- & _). auto.
Qed.

Lemma set_value : forall stream p l, width p = length (windows l) -> windows l <> [] ->
  value_of (kind_of_set l) (fun k => match k with
    | O => evaluate stream p | 1 => filter (meets (own l)) (of (its_template l) stream) | _ => [] end%nat)
  = evaluate stream (collected p l).
Proof.
  intros stream p l W N. simpl. apply map_ext_in. intros a Ha. apply with_set_same. intros x.
  assert (La : length a = length (windows l)) by (rewrite <- W; eapply evaluate_width; eauto).
  assert (M : beside l (a ++ [x]) = own l x && matches (map fst (windows l)) (map snd (windows l)) (joint l) a [x]).
  { unfold beside. rewrite within_is_matches by auto. rewrite <- La, skipn_app, skipn_all, Nat.sub_diag. auto. }
  unfold set_in. rewrite !filter_In, M, andb_true_iff, in_concat. split.
  - intros (q & I & X). unfold matching_right in I. apply filter_In in I as [I Mq]. apply filter_In in I as [I O].
    unfold of in I. apply in_map_iff in I as (e & <- & I). apply filter_In in I. destruct X as [<-|[]]. simpl in O.
      tauto.
  - intros ([I T] & O & Mx). exists [x]. split; [|simpl; auto]. unfold matching_right. apply filter_In. split; auto.
    apply filter_In. split; auto. unfold of. apply in_map_iff. exists x. split; auto. apply filter_In. auto.
Qed.

Definition no_externals (h : network) : Prop := forall v q, In v h -> ~ In (External q) (sources v).
Definition entry_ok (g : network) (entries : list (nat * nat)) (stream : list event) (t : nat) : Prop :=
  carries g (found t entries) 1 /\ Permutation (value g (found t entries)) (of t stream).

Lemma entry_ok_more : forall g h entries stream t, entry_ok g entries stream t -> entry_ok (g ++ h) entries stream t.
Proof.
  intros g h entries stream t [C P]. split; [apply carries_more; auto|]. rewrite value_more; auto. eapply carries_lt;
    eauto.
Qed.

Lemma alpha_built : forall g entries stream t c, network_ok g -> entry_ok g entries stream t ->
  let g' := g ++ [Vertex (Alpha c) [Internal (found t entries)]] in
  network_ok g' /\ carries g' (length g) 1 /\ Permutation (value g' (length g)) (filter (meets c) (of t stream)).
Proof.
  intros g entries stream t c G [C P]. simpl. split; [|split].
  - apply add_vertex; auto. apply one_source with 1%nat; simpl; auto. intros; discriminate.
  - eexists. split; [apply nth_error_last|]. auto.
  - rewrite value_last. unfold valued. simpl. apply filter_permutation. auto.
Qed.

Lemma linked_width : forall p l, width (linked p l) = if negated l then width p else (width p + 1)%nat.
Proof. intros. unfold linked. destruct (negated l); auto. Qed.

Lemma two_input_built : forall kind_of pat entries stream g last p l,
  network_ok g -> carries g last (width p) -> Permutation (value g last) (evaluate stream p) ->
  entry_ok g entries stream (its_template l) ->
  well_formed reach (kind_of l) [width p; 1%nat] -> (forall n slots, kind_of l <> Entry n slots) ->
  is_terminal (kind_of l) = false -> width_of (kind_of l) = width (pat p l) ->
  value_of (kind_of l) (fun k => match k with
    | O => evaluate stream p | 1 => filter (meets (own l)) (of (its_template l) stream) | _ => [] end%nat)
  = evaluate stream (pat p l) ->
  exists h, add_two_input kind_of entries (g, last) l = (g ++ h, S (length g)) /\ network_ok (g ++ h) /\
    carries (g ++ h) (S (length g)) (width (pat p l)) /\
    Permutation (value (g ++ h) (S (length g))) (evaluate stream (pat p l)) /\ no_externals h.
Proof.
  intros kind_of pat entries stream g last p l G C P El W Ne T Wd V.
  destruct (alpha_built g entries stream (its_template l) (own l) G El) as (G1 & C1 & P1).
  set (alpha := Vertex (Alpha (own l)) [Internal (found (its_template l) entries)]) in *.
  set (v := Vertex (kind_of l) [Internal last; Internal (length g)]).
  exists [alpha; v]. replace (g ++ [alpha; v]) with ((g ++ [alpha]) ++ [v]) by (rewrite <- app_assoc; auto).
  assert (L1 : length (g ++ [alpha]) = S (length g)) by (rewrite app_length; simpl; lia).
  assert (P1' : Permutation (value (g ++ [alpha]) last) (evaluate stream p)).
  { rewrite value_more; auto. eapply carries_lt; eauto. }
  split; [auto|]. split; [|split; [|split]].
  - apply add_vertex; auto. apply two_sources with (width p) 1%nat; auto. apply carries_more. auto.
  - rewrite <- L1. eexists. split; [apply nth_error_last|]. auto.
  - rewrite <- L1, value_last, <- V. unfold valued. apply value_of_permutation. intros [|[|k]]; simpl; auto.
    destruct k; auto.
  - intros u q [<-|[<-|[]]]; simpl; intros I; repeat (destruct I as [I|I]; [discriminate|]); auto.
Qed.

Lemma no_externals_app : forall a b, no_externals a -> no_externals b -> no_externals (a ++ b).
Proof. intros a b A B v q I. apply in_app_iff in I as [I|I]; [apply A|apply B]; auto. Qed.

Lemma kinds_of_link : forall w l, link_checked w l -> (0 < w)%nat ->
  windows l <> [] /\ w = length (windows l) /\ well_formed reach (kind_of_link l) [w; 1%nat] /\
  well_formed reach (kind_of_set l) [w; 1%nat].
Proof.
  intros w l (Lw & R1 & R2) Pos.
  assert (Wn : windows l <> []) by (intro Z; rewrite Z in Lw; simpl in Lw; lia).
  split; [auto|]. split; [auto|]. simpl. rewrite !map_length, Lw.
  assert (N : map fst (windows l) <> []) by (intro Z; apply map_eq_nil in Z; auto). repeat split; auto.
Qed.

Lemma chain_built : forall entries stream ls g last p,
  network_ok g -> carries g last (width p) -> (0 < width p)%nat -> Permutation (value g last) (evaluate stream p) ->
  links_checked (width p) ls -> Forall (entry_ok g entries stream) (map its_template ls) ->
  exists h last', fold_left (add_link entries) ls (g, last) = (g ++ h, last') /\
    network_ok (g ++ h) /\ carries (g ++ h) last' (width (fold_left linked ls p)) /\
    Permutation (value (g ++ h) last') (evaluate stream (fold_left linked ls p)) /\ no_externals h /\
    (0 < width (fold_left linked ls p))%nat.
Proof.
  intros entries stream ls. induction ls as [|l ls IH]; intros g last p G C Pos P Ck En.
  - exists [], last. rewrite app_nil_r. simpl. do 4 (split; [auto|]). split; auto. intros v q [].
  - simpl in Ck, En. destruct Ck as [Cl Ck]. inversion En as [|? ? El Els]; subst.
    destruct (kinds_of_link (width p) l Cl Pos) as (Wn & Lw & Wf & _).
    destruct (two_input_built kind_of_link linked entries stream g last p l) as (h & F & G2 & C2 & P2 & N2); auto.
    { intros; discriminate. }
    { unfold kind_of_link. simpl. rewrite map_length, <- Lw, linked_width. destruct (negated l); auto. lia. }
    { apply link_value; auto. }
    assert (Ck' : links_checked (width (linked p l)) ls).
    { rewrite linked_width. destruct (negated l); auto. rewrite Nat.add_1_r. auto. }
    assert (Pos' : (0 < width (linked p l))%nat) by (rewrite linked_width; destruct (negated l); lia).
    assert (En' : Forall (entry_ok (g ++ h) entries stream) (map its_template ls)).
    { eapply Forall_impl; [|exact Els]. intros t Ht. apply entry_ok_more. auto. }
    destruct (IH (g ++ h) (S (length g)) (linked p l) G2 C2 Pos' P2 Ck' En') as (h' & last' & F' & G3 & C3 & P3 & N3
      & W3).
    exists (h ++ h'), last'. change (fold_left (add_link entries) (l :: ls) (g, last)) with
      (fold_left (add_link entries) ls (add_two_input kind_of_link entries (g, last) l)). rewrite F, app_assoc.
    do 4 (split; [auto|]). split; auto. apply no_externals_app; auto.
Qed.

Lemma collected_width : forall ls p, width (fold_left collected ls p) = width p.
Proof. induction ls as [|l ls IH]; simpl; intros; auto. rewrite IH. auto. Qed.
Lemma filtered_width : forall h p, width (filtered h p) = width p.
Proof. destruct h; auto. Qed.

Lemma sets_built : forall entries stream ls g last p,
  network_ok g -> carries g last (width p) -> (0 < width p)%nat -> Permutation (value g last) (evaluate stream p) ->
  Forall (link_checked (width p)) ls -> Forall (entry_ok g entries stream) (map its_template ls) ->
  exists h last', fold_left (add_set entries) ls (g, last) = (g ++ h, last') /\
    network_ok (g ++ h) /\ carries (g ++ h) last' (width (fold_left collected ls p)) /\
    Permutation (value (g ++ h) last') (evaluate stream (fold_left collected ls p)) /\ no_externals h.
Proof.
  intros entries stream ls. induction ls as [|l ls IH]; intros g last p G C Pos P Ck En.
  - exists [], last. rewrite app_nil_r. simpl. do 4 (split; [auto|]). intros v q [].
  - simpl in En. inversion Ck as [|? ? Cl Ck']; subst. inversion En as [|? ? El Els]; subst.
    destruct (kinds_of_link (width p) l Cl Pos) as (Wn & Lw & _ & Wf).
    destruct (two_input_built kind_of_set collected entries stream g last p l) as (h & F & G2 & C2 & P2 & N2); auto.
    { intros; discriminate. }
    { simpl. rewrite map_length. auto. }
    { apply set_value; auto. }
    assert (En' : Forall (entry_ok (g ++ h) entries stream) (map its_template ls)).
    { eapply Forall_impl; [|exact Els]. intros t Ht. apply entry_ok_more. auto. }
    destruct (IH (g ++ h) (S (length g)) (collected p l) G2 C2 Pos P2 Ck' En') as (h' & last' & F' & G3 & C3 & P3 & N3).
    exists (h ++ h'), last'. change (fold_left (add_set entries) (l :: ls) (g, last)) with
      (fold_left (add_set entries) ls (add_two_input kind_of_set entries (g, last) l)). rewrite F, app_assoc.
    do 4 (split; [auto|]). apply no_externals_app; auto.
Qed.

Lemma filter_built : forall stream c g last p,
  network_ok g -> carries g last (width p) -> Permutation (value g last) (evaluate stream p) ->
  exists h last', add_filter c (width p) (g, last) = (g ++ h, last') /\
    network_ok (g ++ h) /\ carries (g ++ h) last' (width (filtered c p)) /\
    Permutation (value (g ++ h) last') (evaluate stream (filtered c p)) /\ no_externals h.
Proof.
  intros stream c g last p G C P. destruct c as [c|]; simpl.
  - exists [Vertex (Filtering (width p) c) [Internal last]], (length g). split; [auto|]. split; [|split; [|split]].
    + apply add_vertex; auto. apply one_source with (width p); simpl; auto. intros; discriminate.
    + eexists. split; [apply nth_error_last|]. auto.
    + rewrite value_last. unfold valued. simpl. apply filter_permutation. auto.
    + intros u q [<-|[]]; simpl; intros [I|[]]; discriminate.
  - exists [], last. rewrite app_nil_r. do 4 (split; [auto|]). intros v q [].
Qed.

End Compile.
