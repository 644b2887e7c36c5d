(* The theorems about the enumeration: complete and correct, without repetition, with a bounded delay; the shares of all
   processes; what is forgotten (T theorem 5.1, lemmas 5.4 and 5.7, theorem 5.6, corrected). *)
From Cel Require Export UnionLists Enumeration.

Section Results.
Context {Label : Type}.
Notation node := (node Label).
Notation found := (found Label).

(* |D|: the number of positions in the set of an event. *)
Definition size_of (f : found) := length (nodup Z.eq_dec (positions f)).

Lemma a_place_is_admitted_or_nothing_is_printed : forall least (n : node) (want : option (nat * nat)), time_ordered n ->
  match want with None => True | Some (s, c) => (s < counted least n)%nat /\ (1 <= c)%nat end ->
  least <= greatest n ->
  enumerate_paths least n want = (prints least 0 [] want n, Some 0%nat).
Proof.
  intros least n want T W Le. unfold enumerate_paths.
  replace (greatest n <? least) with false by (symmetry; apply Z.ltb_ge; auto).
  assert (N : nothing want = false) by (destruct want as [[[] []]|]; auto; lia). rewrite N. simpl.
  destruct (the_machine_prints least n 0 [] want 0 [] T) as [u E]; [split; auto|].
  rewrite Nat.add_0_r in E. rewrite E, Nat.add_0_r. destruct u; simpl; rewrite app_nil_r; auto.
Qed.

Lemma continued_nil : forall l : list found, map (continued []) l = l.
Proof.
  intros. rewrite <- (map_id l) at 2. apply map_ext. intros []. unfold continued. simpl. rewrite app_nil_r. auto.
Qed.

(* CORE/ENUM-BOTTOM, CORE/ENUM-OUTPUT, CORE/ENUM-UNION: of a time-ordered node of any size and in any window. The
   events that are printed are those of ⟦n⟧ in the window, in the order of their paths. The enumeration ends, and enters
   no node after its last result. *)
Theorem the_enumeration_prints_exactly_the_events_in_the_window : forall least (n : node), time_ordered n ->
  map snd (fst (enumerate_paths least n None)) = within least n /\ snd (enumerate_paths least n None) = Some 0%nat.
Proof.
  intros least n T. destruct (Z.le_gt_cases least (greatest n)) as [Le|Gt].
  - rewrite a_place_is_admitted_or_nothing_is_printed by auto. simpl.
    rewrite the_prints_are_the_portion by (auto; split; auto). rewrite continued_nil. auto.
  - unfold enumerate_paths. replace (greatest n <? least) with true by (symmetry; apply Z.ltb_lt; lia). simpl.
    rewrite outside; auto. apply Z.leb_gt. lia.
Qed.

Lemma pairs_of_a_part : forall (P : found -> found -> Prop) keeps (l : list (Z * found)),
  ForallOrdPairs P (map snd l) -> ForallOrdPairs P (map snd (filter keeps l)).
Proof.
  intros P keeps l. induction l as [|e l IH]; intros F; simpl; [constructor|].
  inversion_clear F as [|? ? H F']. destruct (keeps e); simpl; auto. constructor; auto.
  rewrite Forall_map in *. apply Forall_forall. intros x I. apply filter_In in I as [I _].
  revert x I. apply Forall_forall. auto.
Qed.

(* CORE/ENUM-*: of a duplicate-free node no event, as a start and a set of positions, is printed twice. *)
Theorem no_event_is_printed_twice : forall least (n : node), time_ordered n -> duplicate_free n ->
  ForallOrdPairs distinct (map snd (fst (enumerate_paths least n None))).
Proof.
  intros least n T F. rewrite (proj1 (the_enumeration_prints_exactly_the_events_in_the_window least n T)).
  apply pairs_of_a_part. auto.
Qed.

Lemma rising_positions : forall e : Z * found, rising e -> size_of (snd e) = length (marks (snd e)).
Proof.
  intros e [S _]. unfold size_of. rewrite nodup_fixed_point; [apply map_length|].
  induction S as [|p ps S IH F]; constructor; auto. intros I. rewrite Forall_forall in F. specialize (F p I). lia.
Qed.

Lemma printed_events_rise : forall least (n : node), Forall rising (denoted n) ->
  Forall (fun f => size_of f = length (marks f)) (within least n).
Proof.
  intros least n R. unfold within. apply Forall_map, Forall_forall. intros e I. apply filter_In in I as [I _].
  apply rising_positions. revert e I. apply Forall_forall. auto.
Qed.

Lemma in_T_s_terms : forall k (xs : list (nat * found)),
  Forall (fun f => size_of f = length (marks f)) (map snd xs) -> Forall (in_time k []) xs ->
  Forall (fun x => (fst x <= (k + 1) * (size_of (snd x) + 1))%nat) xs.
Proof.
  intros k xs R F. rewrite Forall_map in R. rewrite Forall_forall in *. intros x I. rewrite (R x I).
  specialize (F x I). unfold in_time in F. simpl length in F. lia.
Qed.

(* CORE/ENUM-BOTTOM, CORE/ENUM-OUTPUT, CORE/ENUM-UNION: T's lemma 5.4, corrected. Between a result and the next, before
   the first one too, at most (k + 1)·(|D| + 1) nodes are entered, where D is the set of the next result. *)
Theorem the_next_result_is_a_bounded_number_of_nodes_away : forall k least (n : node), time_ordered n -> bounded k n ->
  Forall rising (denoted n) ->
  Forall (fun x => (fst x <= (k + 1) * (size_of (snd x) + 1))%nat) (fst (enumerate_paths least n None)).
Proof.
  intros k least n T B R. apply in_T_s_terms.
  { rewrite (proj1 (the_enumeration_prints_exactly_the_events_in_the_window least n T)).
    apply printed_events_rise. auto. }
  destruct (Z.le_gt_cases least (greatest n)) as [Le|Gt].
  - rewrite a_place_is_admitted_or_nothing_is_printed by auto. simpl.
    destruct (the_delays_are_bounded least k n 0 [] None T B) as (x & xs & E & H & F); [split; auto|]. rewrite E.
    constructor; auto. assert (depth n <= k)%nat by (destruct n; simpl in *; lia).
    unfold in_time. simpl length in *. simpl skipped in *. nia.
  - unfold enumerate_paths. replace (greatest n <? least) with true by (symmetry; apply Z.ltb_lt; lia). constructor.
Qed.

(* CORE/TECS-*, CORE/ULIST-*, CORE/ENUM-*: the theorems above of every node that the operations of CORE create, of any
   size. Together they are T's theorem 5.1 for one process, and its claim of output-linear delay with the constant 4. *)
Theorem every_created_node_is_enumerated_completely_and_in_time : forall least (n : node), created n ->
  map snd (fst (enumerate_paths least n None)) = within least n
  /\ snd (enumerate_paths least n None) = Some 0%nat
  /\ Forall (fun x => (fst x <= 4 * (size_of (snd x) + 1))%nat) (fst (enumerate_paths least n None))
  /\ (duplicate_free n -> ForallOrdPairs distinct (map snd (fst (enumerate_paths least n None)))).
Proof.
  intros least n C. destruct (proj1 whatever_is_created_is_sound_and_safe n C) as [(T & B & R) _].
  destruct (the_enumeration_prints_exactly_the_events_in_the_window least n T) as [E N].
  split; auto. split; auto. split; auto using no_event_is_printed_twice.
  apply (the_next_result_is_a_bounded_number_of_nodes_away 3); auto.
Qed.

(* --- Shares ------------------------------------------------------------------------------------------------------- *)

(* CORE/ENUM-BOTTOM, CORE/ENUM-OUTPUT, CORE/ENUM-UNION: a share is so many events from the one after those that are
   skipped; T's lemma 5.4 for shares, corrected: its first result may be as far away as all that it skips. *)
Theorem a_share_is_that_part_of_the_events_in_the_window : forall k least (n : node) skipped count, time_ordered n ->
  bounded k n -> Forall rising (denoted n) -> (skipped < counted least n)%nat -> (1 <= count)%nat ->
  exists first others, fst (enumerate_paths least n (Some (skipped, count))) = first :: others
  /\ map snd (first :: others) = firstn count (List.skipn skipped (within least n))
  /\ snd (enumerate_paths least n (Some (skipped, count))) = Some 0%nat
  /\ (fst first <= (k + 1) * (skipped + size_of (snd first) + 1))%nat
  /\ Forall (fun x => (fst x <= (k + 1) * (size_of (snd x) + 1))%nat) others.
Proof.
  intros k least n s c T B R Lt Le. assert (G : least <= greatest n) by (apply counted_something; lia).
  assert (A : admitted least (Some (s, c)) n) by (split; auto).
  rewrite a_place_is_admitted_or_nothing_is_printed by auto. simpl fst. simpl snd.
  destruct (the_delays_are_bounded least k n 0 [] (Some (s, c)) T B A) as (x & xs & E & H & F). rewrite E.
  pose proof (the_prints_are_the_portion least n 0 [] (Some (s, c)) T A) as P. rewrite E, continued_nil in P.
  assert (Q : Forall (fun f => size_of f = length (marks f)) (map snd (x :: xs))). {
    rewrite P. apply Forall_forall. intros f I. unfold portion in I.
    pose proof (printed_events_rise least n R) as W. rewrite Forall_forall in W. apply W.
    rewrite <- (firstn_skipn s). apply in_or_app. right. rewrite <- (firstn_skipn c). apply in_or_app. auto. }
  inversion_clear Q as [|? ? Qx Qs]. exists x, xs. repeat split; auto.
  - assert (depth n <= k)%nat by (destruct n; simpl in *; lia). rewrite Qx. simpl length in *. simpl skipped in *. nia.
  - apply in_T_s_terms; auto.
Qed.

(* CORE/SHARE: `share`. *)
Definition share (results processes index : nat) : nat * nat :=
  let size := (results / processes)%nat in
  let left := (results mod processes)%nat in
  (index * size + Nat.min index left, size + if (index <? left)%nat then 1 else 0)%nat.
(* `Machine._share` of machine.py, of one of several processes. *)
Definition printed_by least (n : node) processes index : list found :=
  let (skipped, count) := share (counted least n) processes index in
  if (counted least n <=? skipped)%nat then [] else map snd (fst (enumerate_paths least n (Some (skipped, count)))).

Lemma firstn_add : forall A (l : list A) a b, firstn (a + b) l = firstn a l ++ firstn b (List.skipn a l).
Proof. induction l; intros [|a'] b; simpl; rewrite ?firstn_nil; auto. rewrite IHl. auto. Qed.

(* CORE/SHARE, CORE/ENUM-*: T's theorem 5.1, corrected. The processes together print the events in the window, in order
   and each once, and the numbers of two of them differ by one at most. *)
Theorem all_processes_together_print_the_events_in_the_window : forall least (n : node) processes, time_ordered n ->
  (0 < processes)%nat ->
  flat_map (printed_by least n processes) (seq 0 processes) = within least n
  /\ forall index, (index < processes)%nat ->
     (counted least n / processes <= length (printed_by least n processes index)
      <= counted least n / processes + 1)%nat.
Proof.
  intros least n processes T P. set (m := counted least n).
  pose proof (the_paths_in_the_window_are_counted least n T) as M. fold m in M.
  pose proof (Nat.div_mod m processes) as D. pose proof (Nat.mod_upper_bound m processes) as U.
  set (size := (m / processes)%nat) in *. set (left := (m mod processes)%nat) in *.
  assert (E : forall i, printed_by least n processes i
    = firstn (snd (share m processes i)) (List.skipn (fst (share m processes i)) (within least n))). {
    intros i. unfold printed_by. fold m. destruct (share m processes i) as [s c] eqn:Sh. simpl.
    destruct (m <=? s)%nat eqn:C; [apply Nat.leb_le in C; rewrite skipn_all2, firstn_nil by lia; auto|].
    apply Nat.leb_gt in C. destruct c as [|c].
    - unfold share in Sh. fold size left in Sh. injection Sh as Sh Sh'. destruct (i <? left)%nat eqn:L; [lia|].
      apply Nat.ltb_ge in L. assert (size = 0%nat) by lia. exfalso. nia.
    - assert (G : least <= greatest n) by (apply counted_something; fold m; lia).
      rewrite a_place_is_admitted_or_nothing_is_printed by (auto; fold m; lia). simpl fst.
      rewrite the_prints_are_the_portion, continued_nil by (auto; split; auto; fold m; lia). reflexivity. }
  split.
  - rewrite <- (firstn_all2 (n := m) (within least n)) at 1 by lia.
    transitivity (firstn (fst (share m processes processes)) (within least n)).
    + clear D U. generalize processes at 2 4. intros many. induction many as [|i IH]; [reflexivity|].
      rewrite seq_S, flat_map_app, IH. cbn [flat_map Nat.add]. rewrite app_nil_r, E, <- firstn_add. f_equal.
      unfold share. fold size left. cbn [fst snd]. destruct (i <? left)%nat eqn:L;
        [apply Nat.ltb_lt in L|apply Nat.ltb_ge in L]; nia.
    + f_equal. unfold share. fold size left. cbn [fst]. nia.
  - intros i Lt. rewrite E, firstn_length, skipn_length, <- M. unfold share. fold size left. cbn [fst snd].
    destruct (i <? left)%nat eqn:L; [apply Nat.ltb_lt in L|apply Nat.ltb_ge in L]; nia.
Qed.

End Results.
