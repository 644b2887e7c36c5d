(* The enumeration of CORE (T Algorithm 2, as repaired; semantics/enumeration.py) prints the events of a node within a
   window: all of them in the order of their paths, or a share; each once; and it enters few nodes from one result to
   the next. Nodes, windows and shares are of any size. *)
From Cel Require Export CompactSet.

Section Enumeration.
Context {Label : Type}.
Notation node := (node Label).
Notation found := (found Label).
Variable least : Z.

(* --- The machine -------------------------------------------------------------------------------------------------- *)

(* `Place`. `behind` is the linked list of marks. What is wanted is everything, or a share: the number of paths to skip,
   and the number to print. *)
Record place := Place { entered : node; behind : list (Z * Label); wanted : option (nat * nat) }.

(* CORE/TECS-PATHS: `counted`, of one node; Python stores the number for each node that it has passed. *)
Fixpoint counted (n : node) : nat :=
  if greatest n <? least then 0%nat
  else match n with
       | Bottom _ _ => 1
       | Output _ _ m _ => counted m
       | Union l r _ _ => counted l + counted r
       end.
(* `divided`. Differences of natural numbers are Python's `max(0, …)`. *)
Definition divided (skipped count left right : nat) : (nat * nat) * (nat * nat) :=
  let here := Nat.min count (left - skipped) in
  let beyond := (skipped - left)%nat in
  ((Nat.min skipped left, here), (beyond, Nat.min (count - here) (right - beyond))).
Definition reaches (n : node) := least <=? greatest n.
Definition if_some n marks (share : nat * nat) :=
  if (0 <? snd share)%nat then Some (Place n marks (Some share)) else None.
(* CORE/ENUM-UNION: `enum_union`. *)
Definition enum_union l r marks want : option place * option place :=
  match want with
  | None => (Some (Place l marks None), if reaches r then Some (Place r marks None) else None)
  | Some (skipped, count) =>
      let (here, there) := divided skipped count (counted l) (if reaches r then counted r else 0) in
      (if_some l marks here, if_some r marks there)
  end.
Definition pushed (p : option place) := match p with Some p => [p] | None => [] end.

(* CORE/ENUM-BOTTOM, CORE/ENUM-OUTPUT: the loops of `enumerate_paths`. The place at hand is the top of
   the stack. Each round enters one node (`visit`). The result has each event that is printed, with the number of nodes
   entered since the one before; and, if the stack was emptied in so many rounds, the number of nodes entered after the
   last one. *)
Fixpoint run (rounds visits : nat) (stack : list place) : list (nat * found) * option nat :=
  match stack, rounds with
  | [], _ => ([], Some visits)
  | _, O => ([], None)
  | Place n marks want :: stack, S rounds =>
      match n with
      (* `enum_bottom`. *)
      | Bottom position _ =>
          let (printed, rest) := run rounds 0 stack in ((S visits, Found position marks) :: printed, rest)
      (* `enum_output`. *)
      | Output position label m _ => run rounds (S visits) (Place m ((position, label) :: marks) want :: stack)
      | Union l r _ _ =>
          let (here, later) := enum_union l r marks want in
          run rounds (S visits) (pushed here ++ pushed later ++ stack)
      end
  end.
Fixpoint size (n : node) : nat :=
  match n with Bottom _ _ => 1 | Output _ _ m _ => S (size m) | Union l r _ _ => S (size l + size r) end.
Definition nothing (want : option (nat * nat)) := match want with Some (O, O) => true | _ => false end.
(* CORE/ENUM-*: `enumerate_paths`. No node of the tree is entered twice, so that many rounds suffice. *)
Definition enumerate_paths root want : list (nat * found) * option nat :=
  if (greatest root <? least) || nothing want then ([], Some 0%nat) else run (size root) 0 [Place root [] want].

(* --- What it prints, by the form of the node ---------------------------------------------------------------------- *)

Fixpoint prints visits marks want (n : node) : list (nat * found) :=
  match n with
  | Bottom position _ => [(S visits, Found position marks)]
  | Output position label m _ => prints (S visits) ((position, label) :: marks) want m
  | Union l r _ _ =>
      let (here, later) := enum_union l r marks want in
      match here with Some p => prints (S visits) marks (wanted p) l | None => [] end ++
      match later with
      | Some p => prints (match here with Some _ => 0%nat | None => S visits end) marks (wanted p) r
      | None => []
      end
  end.

(* A place that is entered has a path to print. *)
Definition admitted want (n : node) :=
  least <= greatest n /\ match want with None => True | Some (s, c) => (s < counted n)%nat /\ (1 <= c)%nat end.

Lemma counted_something : forall n, (0 < counted n)%nat -> least <= greatest n.
Proof. intros n H. destruct n; simpl in *; destruct (_ <? least) eqn:C; try lia; apply Z.ltb_ge in C; auto. Qed.

Lemma counted_union : forall l r g d, least <= greatest l -> g = greatest l ->
  counted (Union l r g d) = (counted l + (if reaches r then counted r else 0))%nat.
Proof.
  intros l r g d Le ->. simpl. destruct (greatest l <? least) eqn:C; [apply Z.ltb_lt in C; lia|].
  unfold reaches. destruct (least <=? greatest r) eqn:D; auto. apply Z.leb_gt in D.
  assert (E : (greatest r <? least) = true) by (apply Z.ltb_lt; auto). destruct r; simpl in *; rewrite E; lia.
Qed.

(* The two sides of a union that is entered. *)
Inductive sides l r marks : option (nat * nat) -> option place -> option place -> Prop :=
| All_left : reaches r = false -> sides l r marks None (Some (Place l marks None)) None
| All_both : admitted None r -> sides l r marks None (Some (Place l marks None)) (Some (Place r marks None))
| Left s c : admitted (Some (s, c)) l -> (c <= counted l - s)%nat ->
    sides l r marks (Some (s, c)) (Some (Place l marks (Some (s, c)))) None
| Left_end s c : admitted (Some (s, counted l - s)%nat) l -> (counted l - s <= c)%nat -> reaches r = false ->
    sides l r marks (Some (s, c)) (Some (Place l marks (Some (s, counted l - s)%nat))) None
| Both s c there : admitted (Some (s, counted l - s)%nat) l -> admitted (Some (O, there)) r ->
    there = Nat.min (c - (counted l - s)) (counted r) ->
    (counted l - s <= c)%nat ->
    sides l r marks (Some (s, c)) (Some (Place l marks (Some (s, counted l - s)%nat)))
      (Some (Place r marks (Some (O, there))))
| Right s c there : (counted l <= s)%nat -> admitted (Some (s - counted l, there)%nat) r ->
    there = Nat.min c (counted r - (s - counted l)) ->
    sides l r marks (Some (s, c)) None (Some (Place r marks (Some (s - counted l, there)%nat))).

Lemma something_counted : forall n, time_ordered n -> least <= greatest n -> (1 <= counted n)%nat.
Proof.
  induction n as [p s|p l m IH g|l IHl r IHr g d]; intros T Le.
  - simpl in *. destruct (s <? least) eqn:C; [apply Z.ltb_lt in C|]; lia.
  - destruct T as [-> T]. simpl in *. destruct (_ <? least) eqn:C; [apply Z.ltb_lt in C; lia|auto].
  - destruct T as (-> & Lr & Tl & Tr). rewrite counted_union; auto. specialize (IHl Tl Le). lia.
Qed.

Lemma sides_of_a_union : forall l r g d marks want, time_ordered (Union l r g d) -> admitted want (Union l r g d) ->
  let (here, later) := enum_union l r marks want in sides l r marks want here later.
Proof.
  intros l r g d marks want (-> & Le & Tl & Tr) [A W]. simpl in A.
  assert (R : reaches r = false \/ reaches r = true /\ least <= greatest r /\ (1 <= counted r)%nat). {
    destruct (reaches r) eqn:Q; auto. right. apply Z.leb_le in Q. auto using something_counted. }
  destruct want as [[s c]|]; [|simpl; destruct R as [R|(R & Lr & _)]; rewrite R; constructor; auto; split; auto].
  rewrite counted_union in W; auto. unfold enum_union, divided, if_some. cbn [fst snd].
  destruct (Nat.lt_ge_cases s (counted l)) as [H|H].
  - replace (Nat.min s (counted l)) with s by lia. replace (s - counted l)%nat with 0%nat by lia.
    assert (E : (0 <? Nat.min c (counted l - s))%nat = true) by (apply Nat.ltb_lt; lia). rewrite E.
    rewrite Nat.sub_0_r. destruct (Nat.lt_ge_cases (counted l - s) c) as [K|K].
    + rewrite (Nat.min_r c) by lia. destruct R as [R|(R & Lr & C)]; rewrite R.
      * rewrite Nat.min_0_r. apply Left_end; auto; [|lia]. repeat split; auto; lia.
      * rewrite (proj2 (Nat.ltb_lt 0 _)) by lia.
        apply Both; try lia; repeat split; auto; lia.
    + rewrite (Nat.min_l c) by lia. rewrite Nat.sub_diag. apply Left; auto. repeat split; auto; lia.
  - replace (counted l - s)%nat with 0%nat by lia. rewrite Nat.min_0_r, Nat.sub_0_r, Nat.ltb_irrefl.
    destruct R as [R|(R & Lr & C)]; rewrite R in *; [lia|].
    rewrite (proj2 (Nat.ltb_lt 0 _)) by lia.
    apply Right; auto. repeat split; auto; lia.
Qed.

(* The rounds that are left over when a place is done are more than those of the rest. *)
Lemma the_machine_prints : forall n visits marks want rounds stack, time_ordered n -> admitted want n ->
  exists spare, run (size n + rounds) visits (Place n marks want :: stack)
    = (prints visits marks want n ++ fst (run (spare + rounds) 0 stack), snd (run (spare + rounds) 0 stack)).
Proof.
  induction n as [p s|p l m IH g|l IHl r IHr g d]; intros visits marks want rounds stack T A.
  - exists 0%nat. simpl. destruct (run rounds 0 stack). reflexivity.
  - destruct T as [-> T]. simpl. apply IH; auto. destruct A as [A W]. split; auto.
    destruct want as [[s c]|]; auto. simpl in W. destruct (_ <? least); auto. lia.
  - pose proof (sides_of_a_union l r g d marks want T A) as S. destruct T as (-> & Le & Tl & Tr).
    cbn [run size Nat.add prints]. destruct (enum_union l r marks want) as [here later].
    destruct A as [A _]. simpl in A.
    assert (Go : forall w w' v, admitted w l -> admitted w' r -> exists spare,
      run (size l + size r + rounds) v (Place l marks w :: Place r marks w' :: stack) =
      ((prints v marks w l ++ prints 0 marks w' r) ++ fst (run (spare + rounds) 0 stack),
       snd (run (spare + rounds) 0 stack))). {
      intros w w' v Al Ar. rewrite <- Nat.add_assoc.
      destruct (IHl v marks w (size r + rounds)%nat (Place r marks w' :: stack) Tl Al) as [u E]. rewrite E.
      replace (u + (size r + rounds))%nat with (size r + (u + rounds))%nat by lia.
      destruct (IHr 0%nat marks w' (u + rounds)%nat stack Tr Ar) as [u' E']. rewrite E'.
      exists (u' + u)%nat. rewrite <- app_assoc, Nat.add_assoc. reflexivity. }
    assert (Alone : forall w v, admitted w l -> exists spare,
      run (size l + size r + rounds) v (Place l marks w :: stack) =
      ((prints v marks w l ++ []) ++ fst (run (spare + rounds) 0 stack), snd (run (spare + rounds) 0 stack))). {
      intros w v Al. rewrite <- Nat.add_assoc.
      destruct (IHl v marks w (size r + rounds)%nat stack Tl Al) as [u E]. rewrite E, app_nil_r.
      exists (u + size r)%nat. rewrite Nat.add_assoc. reflexivity. }
    inversion S; subst; cbn [pushed app wanted];
      try (apply Alone; auto; split; auto; fail); try (apply Go; auto; split; auto; fail).
    replace (size l + size r + rounds)%nat with (size r + (size l + rounds))%nat by lia.
    edestruct (IHr (Datatypes.S visits) marks) as [u E]; [auto|eassumption|]. rewrite E.
    exists (u + size l)%nat. rewrite Nat.add_assoc. reflexivity.
Qed.

(* --- What is printed is what the node denotes in the window ------------------------------------------------------- *)

Definition continued (marks' : list (Z * Label)) (f : found) := Found (begins f) (marks f ++ marks').
Definition portion (want : option (nat * nat)) {A} (l : list A) :=
  match want with None => l | Some (skipped, count) => firstn count (skipn skipped l) end.

Lemma within_union : forall l r g d, within least (Union l r g d) = within least l ++ within least r :> list found.
Proof. intros. unfold within. simpl. rewrite filter_app, map_app. reflexivity. Qed.

Lemma within_output : forall p l m g,
  within least (Output p l m g) = map (marked p l) (within least m) :> list found.
Proof.
  intros. unfold within. simpl. induction (denoted m) as [|e es IH]; simpl; auto.
  unfold reached in *. simpl. destruct (least <=? fst e); simpl; rewrite IH; auto.
Qed.

Lemma outside : forall n : node, time_ordered n -> reaches n = false -> within least n = [].
Proof.
  intros n T R. apply Z.leb_gt in R. destruct (the_greatest_start_is_that_of_a_path n T) as [_ F]. unfold within.
  induction (denoted n) as [|e es IH]; auto. inversion_clear F. simpl. unfold reached at 1.
  destruct (least <=? fst e) eqn:C; auto. apply Z.leb_le in C. lia.
Qed.

(* CORE/TECS-PATHS: of a node of any size. *)
Theorem the_paths_in_the_window_are_counted : forall n : node, time_ordered n -> counted n = length (within least n).
Proof.
  intros n T. destruct (reaches n) eqn:R.
  - apply Z.leb_le in R. induction n as [p s|p l m IH g|l IHl r IHr g d].
    + unfold within, reached. simpl in *. destruct (s <? least) eqn:C; [apply Z.ltb_lt in C; lia|].
      destruct (least <=? s) eqn:C'; auto. apply Z.leb_gt in C'. lia.
    + destruct T as [-> T]. rewrite within_output, map_length. simpl in *.
      destruct (_ <? least) eqn:C; [apply Z.ltb_lt in C; lia|auto].
    + destruct T as (-> & Le & Tl & Tr). rewrite counted_union, within_union, app_length by auto.
      rewrite IHl by auto. destruct (reaches r) eqn:Q; [|rewrite (outside r); auto].
      apply Z.leb_le in Q. rewrite IHr by auto. reflexivity.
  - rewrite outside by auto. apply Z.leb_gt, Z.ltb_lt in R. destruct n; simpl in *; rewrite R; auto.
Qed.

Lemma firstn_enough : forall A (l : list A) c, (length l <= c)%nat -> firstn c l = l.
Proof. intros. apply firstn_all2. auto. Qed.

(* A union's portion is that of its left side and that of its right side. *)
Lemma portions : forall (l r : node) marks want here later, time_ordered l -> time_ordered r ->
  sides l r marks want here later ->
  portion want (within least l ++ within least r)
  = match here with Some p => portion (wanted p) (within least l) | None => [] end
    ++ match later with Some p => portion (wanted p) (within least r) | None => [] end.
Proof.
  intros l r marks want here later Tl Tr S.
  pose proof (the_paths_in_the_window_are_counted l Tl) as L.
  pose proof (the_paths_in_the_window_are_counted r Tr) as R.
  inversion S as [Q|A|s c A Lt|s c A Le Q|s c there A A' -> Le|s c there Le A ->]; subst; cbn [wanted portion];
    rewrite ?skipn_app, ?firstn_app, ?skipn_length, <- ?L; auto.
  - rewrite (outside r) by auto. auto.
  - replace (c - (counted l - s))%nat with 0%nat by lia. reflexivity.
  - rewrite (outside r), skipn_nil, firstn_nil by auto.
    rewrite !(firstn_enough _ (skipn s _)) by (rewrite skipn_length; lia). reflexivity.
  - destruct A as [_ [A _]]. replace (s - counted l)%nat with 0%nat by lia.
    rewrite !(firstn_enough _ (skipn s _)) by (rewrite skipn_length; lia). f_equal. simpl.
    destruct (Nat.le_gt_cases (c - (counted l - s)) (counted r)) as [K|K]; [rewrite Nat.min_l by lia; auto|].
    rewrite !firstn_enough by lia. reflexivity.
  - rewrite skipn_all2, firstn_nil by lia. simpl. replace (counted l - s)%nat with 0%nat by lia. rewrite Nat.sub_0_r.
    destruct (Nat.le_gt_cases c (counted r - (s - counted l))) as [K|K]; [rewrite Nat.min_l by lia; auto|].
    rewrite !firstn_enough by (rewrite ?skipn_length; lia). reflexivity.
Qed.

Lemma the_prints_are_the_portion : forall n visits marks want, time_ordered n -> admitted want n ->
  map snd (prints visits marks want n) = map (continued marks) (portion want (within least n)).
Proof.
  induction n as [p s|p l m IH g|l IHl r IHr g d]; intros visits marks want T A.
  - destruct A as [A W]. unfold within, reached. simpl in *.
    replace (least <=? s) with true by (symmetry; apply Z.leb_le; auto). simpl.
    destruct want as [[k c]|]; auto. simpl in W. destruct (s <? least); [lia|]. replace k with 0%nat by lia. simpl.
    destruct c; [lia|]. simpl. rewrite firstn_nil. reflexivity.
  - destruct T as [-> T]. simpl. rewrite IH; auto.
    + rewrite within_output. destruct want as [[s c]|]; simpl; rewrite ?skipn_map, ?firstn_map, map_map;
        apply map_ext; intros f; unfold continued, marked; simpl; rewrite <- app_assoc; auto.
    + destruct A as [A W]. split; auto. destruct want as [[s c]|]; auto. simpl in W. destruct (_ <? least); auto. lia.
  - pose proof (sides_of_a_union l r g d marks want T A) as S. destruct T as (-> & Le & Tl & Tr). destruct A as [A _].
    simpl in A. rewrite within_union. cbn [prints]. destruct (enum_union l r marks want) as [here later].
    rewrite (portions l r marks want here later Tl Tr S), !map_app.
    inversion S; subst; cbn [wanted]; rewrite ?IHl, ?IHr; auto; split; auto.
Qed.

(* --- The delay ---------------------------------------------------------------------------------------------------- *)

Definition skipped (want : option (nat * nat)) := match want with Some (s, _) => s | None => 0%nat end.

(* A result with the number of nodes entered for it: k + 1 for each mark that is not among `marks'`, and once more. *)
Definition in_time k (marks' : list (Z * Label)) (x : nat * found) :=
  (fst x + S k * length marks' <= S k * S (length (marks (snd x))))%nat.

Lemma the_delays_are_bounded : forall k n visits marks' want, time_ordered n -> bounded k n -> admitted want n ->
  exists first others, prints visits marks' want n = first :: others
  /\ (fst first + S k * length marks' <= visits + depth n + 1 + S k * (skipped want + length (marks (snd first))))%nat
  /\ Forall (in_time k marks') others.
Proof.
  intros k. induction n as [p s|p l m IH g|l IHl r IHr g d]; intros visits marks' want T B A.
  - do 2 eexists. split; [reflexivity|]. simpl. split; auto. lia.
  - destruct T as [-> T]. simpl in B. assert (D : (depth m <= k)%nat) by (destruct m; simpl in *; lia).
    destruct (IH (S visits) ((p, l) :: marks') want) as (x & xs & E & H & F); auto.
    { destruct A as [A W]. split; auto. destruct want as [[s c]|]; auto. simpl in W. destruct (_ <? least); auto. lia. }
    exists x, xs. split; auto. cbn [length] in *. split; [simpl depth; nia|].
    eapply Forall_impl; [|exact F]. unfold in_time. cbn [length]. nia.
  - pose proof (sides_of_a_union l r g d marks' want T A) as Si. destruct T as (-> & Le & Tl & Tr). destruct A as [A _].
    destruct B as (-> & D & Bl & Br). simpl in A. cbn [prints].
    destruct (enum_union l r marks' want) as [here later]. cbn [depth].
    assert (Dr : (depth r <= k)%nat) by (destruct r; simpl in *; lia).
    assert (L : forall w, admitted w l -> skipped w = skipped want -> forall ys,
      Forall (in_time k marks') ys ->
      exists x xs, prints (S visits) marks' w l ++ ys = x :: xs
      /\ (fst x + S k * length marks' <= visits + S (depth l) + 1
          + S k * (skipped want + length (marks (snd x))))%nat
      /\ Forall (in_time k marks') xs). {
      intros w Al Sk ys Fy. destruct (IHl (S visits) marks' w) as (x & xs & E & H & F); auto.
      rewrite E. exists x, (xs ++ ys). split; auto. rewrite Sk in H. split; [lia|]. apply Forall_app. auto. }
    assert (R : forall w, admitted w r -> skipped w = 0%nat ->
      Forall (in_time k marks') (prints 0 marks' w r)). {
      intros w Ar Sk. destruct (IHr 0%nat marks' w) as (x & xs & E & H & F); auto. rewrite E. constructor; auto.
      rewrite Sk in H. unfold in_time. nia. }
    inversion Si as [Q|A1|s c A1 Lt|s c A1 Lt Q|s c there A1 A2 E2 Lt|s c there Lt A1 E2]; subst; cbn [wanted];
      try (apply L; [first [assumption | split; auto]|reflexivity|first [apply R; auto | constructor]]; fail).
    destruct (IHr (S visits) marks' (Some (s - counted l, Nat.min c (counted r - (s - counted l)))%nat))
      as (x & xs & E & H & F); auto.
    exists x, xs. split; auto. split; auto. pose proof (something_counted l Tl A). simpl skipped in *. nia.
Qed.

End Enumeration.
