(* What comes out of the nodes of a rule, of any patterns, negations, sets and emissions below: how far its bounds lag,
   what it may be part of, and who may have led it (docs/bounds.md, "Count"; specification: size-viable). *)
From Parte Require Export Entries.

Section Flows.
Context {E : Events}.

(* Why partial matches were sent up to a mark m: they are held by m, or each is near one of few that are ahead. A node
   that sends one token for each has one more ahead for each token beyond the mark. *)
Record lead := Lead {
  held : Z -> partial -> Prop; near : partial -> partial -> Prop; beyond : nat; token_by_token : bool }.
Definition allowed (x : lead) (more : nat) : nat := (beyond x + if token_by_token x then more else 0)%nat.
Definition led_by (x : lead) (m : Z) (more : nat) (ps : list partial) : Prop := exists few,
  (length few <= allowed x more)%nat /\ Forall (fun p => held x m p \/ exists p0, In p0 few /\ near x p0 p) ps.

(* What a node makes of a partial match, token by token, or in steps of many. *)
Definition image (makes : partial -> partial -> Prop) (x : lead) : lead :=
  Lead (fun m r => exists p, makes p r /\ held x m p) (fun p0 r => exists p, makes p r /\ near x p0 p) (beyond x)
    (token_by_token x).
Definition in_steps (x : lead) : lead := Lead (held x) (near x) (allowed x 1) false.
Lemma led_image : forall makes x m more ps rs, led_by x m more ps ->
  Forall (fun r => exists p, In p ps /\ makes p r) rs -> led_by (image makes x) m more rs.
Proof.
  intros makes x m more ps rs (few & L & F) G. exists few. split; auto. rewrite Forall_forall in *. intros r I.
  destruct (G r I) as (p & Ip & Mp). destruct (F p Ip) as [H|(p0 & I0 & N)]; simpl; eauto 10.
Qed.
Lemma led_in_steps : forall x m more more' ps, led_by x m more ps -> (more <= 1)%nat -> led_by (in_steps x) m more' ps.
Proof.
  intros x m more more' ps (few & L & F) Le. exists few. split; auto. unfold allowed in *. simpl.
  unfold allowed. destruct (token_by_token x); lia.
Qed.
Lemma led_less : forall x m more ps qs, led_by x m more ps -> incl qs ps -> led_by x m more qs.
Proof.
  intros x m more ps qs (few & L & F) I. exists few. split; auto. rewrite Forall_forall in *. auto.
Qed.

Definition on_its_left (p r : partial) : Prop := exists q, length q = 1%nat /\ r = p ++ q.
Definition on_its_right (w : nat) (q r : partial) : Prop := exists p, length p = w /\ length q = 1%nat /\ r = p ++ q.
Definition with_some_set (p r : partial) : Prop := exists s, r = with_set_of p s.
Definition makes_an_event (P : list partial -> Prop) (generate : partial -> option event) (p r : partial) : Prop :=
  P [p] /\ In r (emitted generate p).

(* Single events: of sources that have promised no more, or of one other source each. *)
Variables (net : network) (queues : nat -> list token) (late : nat -> Z) (limit : nat -> limits).
Definition of_sources (qs : list nat) : lead :=
  Lead (fun m p => exists y, p = [y] /\ owed queues late m qs y) eq (length qs - 1) true.
(* Partial matches that waited: their windows were over, or the whole history was released in one step. *)
Definition released (maxima : list Z) (most : nat) : lead := Lead (fun m p => closes maxima p < m) eq most false.

Definition value (j : nat) : list partial := nth j (values queues net) [].
Definition behind (m : Z) (lags : list Z) : list Z := map (fun lag => m - lag) lags.
Definition stored_lags (ls : list Z) (lag : Z) (maxima : list Z) : list Z := pairwise Z.max ls (map (Z.add lag)
  maxima).

(* Vertex, lags of its bounds, what its partial matches may be together, who may have led them. Events that rules emit
   have no other source, and those of a negated pattern or a set are from outside; their windows do not exclude each
   other (docs/bounds.md, "Where that does not hold"). *)
Inductive flows : nat -> list Z -> (list partial -> Prop) -> (lead -> Prop) -> Prop :=
| Of_a_pattern : forall j qs, pattern net j qs -> flows j [0] (fun ps => part_of ps (value j)) (eq (of_sources qs))
| Of_a_join : forall i minima maxima own j k ls lag P Q L R,
    nth_error net i = Some (Vertex (TwoInput false minima maxima own) [Internal j; Internal k]) ->
    flows j ls P L -> flows k [lag] Q R ->
    flows i (stored_lags ls lag maxima ++ [Z.max lag (lowest (pairwise Z.sub ls minima))])
      (fun ps => exists a b, P a /\ Q b /\ part_of ps (joined minima maxima own a b))
      (fun x => (exists y, L y /\ x = image on_its_left (in_steps y)) \/
                (exists y, R y /\ x = image (on_its_right (length minima)) (in_steps y)))
| Of_a_negation : forall i minima maxima own j k ls qs most P L,
    nth_error net i = Some (Vertex (TwoInput true minima maxima own) [Internal j; Internal k]) ->
    flows j ls P L -> pattern net k qs -> left_room (limit i) = Some most ->
    (forall ps, P ps -> Forall (fun p => opens minima p <= closes maxima p) ps) ->
    flows i (stored_lags ls 0 maxima) P (fun x => exists y, (L y \/ y = released maxima most) /\ x = in_steps y)
| Of_a_set : forall i minima maxima own j k ls qs most P L,
    nth_error net i = Some (Vertex (Collecting minima maxima own) [Internal j; Internal k]) ->
    flows j ls P L -> pattern net k qs -> left_room (limit i) = Some most ->
    (forall ps, P ps -> Forall (fun p => opens minima p <= closes maxima p) ps) ->
    flows i (stored_lags ls 0 maxima)
      (fun ps => exists a s, P a /\ part_of ps (map (collection minima maxima own s) a))
      (fun x => exists y, (L y \/ y = released maxima most) /\ x = image with_some_set (in_steps y))
| Of_having : forall i w own j ls P L, nth_error net i = Some (Vertex (Filtering w own) [Internal j]) ->
    flows j ls P L -> flows i ls P L
| Of_an_emission : forall a e i own n generate at_bounds allowance j ls lag P L,
    nth_error net a = Some (Vertex (Alpha own) [Internal e]) ->
    nth_error net e = Some (Vertex (Entry n 1) [Internal i]) ->
    nth_error net i = Some (Vertex (Production generate at_bounds allowance) [Internal j]) ->
    flows j ls P L -> 0 <= lag -> (forall m, m - lag <= at_bounds (behind m ls)) ->
    flows a [lag] (fun ps => exists b, P b /\ part_of ps (flat_map (emitted generate) b))
      (fun x => exists y, L y /\ x = image (makes_an_event P generate) y).

Variable reach : Z.
Hypothesis Net : sound_network net reach.

Lemma a_part_may_come : forall j ls P L, flows j ls P L -> forall a b, part_of a b -> P b -> P a.
Proof.
  intros j ls P L F. induction F; intros x y Pt Py; auto; simpl in *.
  - eapply part_of_trans; eauto.
  - destruct Py as (a & b & Pa & Qb & H'). exists a, b. repeat split; auto. eapply part_of_trans; eauto.
  - eauto.
  - destruct Py as (a & s & Pa & H'). exists a, s. split; auto. eapply part_of_trans; eauto.
  - eauto.
  - destruct Py as (b & Pb & H'). exists b. split; auto. eapply part_of_trans; eauto.
Qed.
Lemma stored_lags_length : forall ls lag maxima, length ls = length maxima ->
  length (stored_lags ls lag maxima) = length maxima.
Proof. intros. unfold stored_lags. rewrite pairwise_length; rewrite ?map_length; auto. Qed.
Lemma stored_lags_nonnegative : forall lag ls maxima, Forall (fun x => 0 <= x) ls ->
  Forall (fun x => 0 <= x) (stored_lags ls lag maxima).
Proof.
  intros lag ls maxima F. revert maxima. unfold stored_lags.
  induction F as [|x ls Hx F IH]; intros [|y maxima]; simpl; constructor; auto. lia.
Qed.
Definition width_at (j : nat) (w : nat) : Prop := exists v, nth_error net j = Some v /\ width_of (kind_of v) = w /\
  is_terminal (kind_of v) = false.
Lemma width_left : forall i v j k w w', nth_error net i = Some v -> sources v = [Internal j; Internal k] ->
  width_at j w -> width_at k w' -> widths net v = [w; w'].
Proof.
  intros i v j k w w' V S (u & U & W & _) (u' & U' & W' & _). unfold widths. rewrite S. simpl. rewrite U, U', W, W'.
  auto.
Qed.
Lemma width_of_a_pattern : forall j qs, pattern net j qs -> width_at j 1.
Proof. intros j qs (own & e & n & slots & V & _). exists (Vertex (Alpha own) [Internal e]). auto. Qed.
Lemma lags_and_widths : forall j ls P L, flows j ls P L -> Forall (fun x => 0 <= x) ls /\ width_at j (length ls).
Proof.
  intros j ls P L F.
  induction F as [j qs Pt|i mi ma own j k ls lag P Q L R V _ [NL WL] _ [NR WR]|i mi ma own j k ls qs most P L V _ [NL
    WL] Pt _ _|i mi ma own j k ls qs most P L V _ [NL WL] Pt _ _|i w own j ls P L V _ [NL WL]|a e i own n g ab al j ls
    lag P L V Ve Vi _ [NL WL] Nn _].
  - split; [repeat constructor; lia|]. apply (width_of_a_pattern j qs Pt).
  - pose proof (its_kind _ _ i _ (Net i _ V)) as K. rewrite (width_left i _ j k _ _ V eq_refl WL WR) in K.
    destruct K as (K & _ & Sw & _). injection K as K. inversion NR; subst. split.
    + apply Forall_app. split; [apply stored_lags_nonnegative; auto|repeat constructor; lia].
    + eexists. split; [exact V|]. simpl. split; auto. rewrite app_length, stored_lags_length by lia. simpl. lia.
  - pose proof (its_kind _ _ i _ (Net i _ V)) as K.
    rewrite (width_left i _ j k _ _ V eq_refl WL (width_of_a_pattern k qs Pt)) in K.
    destruct K as (K & _ & Sw & _). injection K as K. split; [apply stored_lags_nonnegative; auto|].
    eexists. split; [exact V|]. simpl. split; auto. rewrite stored_lags_length by lia. auto.
  - pose proof (its_kind _ _ i _ (Net i _ V)) as K.
    rewrite (width_left i _ j k _ _ V eq_refl WL (width_of_a_pattern k qs Pt)) in K.
    destruct K as (K & _ & Sw & _). injection K as K. split; [apply stored_lags_nonnegative; auto|].
    eexists. split; [exact V|]. simpl. split; auto. rewrite stored_lags_length by lia. auto.
  - split; auto. pose proof (its_kind _ _ i _ (Net i _ V)) as K. simpl in K. unfold widths in K. simpl in K.
    destruct WL as (u & U & W & _). rewrite U, W in K. injection K as K.
    eexists. split; [exact V|]. simpl. auto.
  - split; [repeat constructor; auto|]. eexists. split; [exact V|]. auto.
Qed.
End Flows.
