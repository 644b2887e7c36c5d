(* The evaluator that is proved, on a stream: a line with the program, then batches of events, which it answers with
   matches. What the program leaves to the other side (parte/proofs/partelang/evaluator) it asks in lines that begin with
   "?". A line that begins with "!" is the last one: the input is damaged, or the program is not admitted.
   Not verified: this file, which reads and writes, and has the operations on floats and texts. *)

module Whole_numbers = Z
open Parte_evaluator

let expected what word = failwith (Printf.sprintf "expected %s, found %S" what word)
let integer word = match int_of_string_opt word with Some n -> n | None -> expected "a whole number" word
let natural word = let n = integer word in if n < 0 then expected "a number that is not negative" word else n
let number word = try Whole_numbers.of_string word with Invalid_argument _ -> expected "a whole number" word

(* A text, and a number that no other text has: its bytes behind a one. *)
type words = { characters : string; its_number : Whole_numbers.t }
let words characters = { characters; its_number = Whole_numbers.of_bits (characters ^ "\001") }
type data = (float, words) value

(* The text that a field stands for: a backslash before t, n or another backslash. *)
let unescaped text from =
  if String.index_from_opt text from '\\' = None then String.sub text from (String.length text - from)
  else begin
    let out = Buffer.create (String.length text) in
    let escaped = ref false in
    for place = from to String.length text - 1 do
      let c = text.[place] in
      if !escaped then begin
        Buffer.add_char out (match c with 't' -> '\t' | 'n' -> '\n' | 's' -> ' ' | c -> c);
        escaped := false
      end else if c = '\\' then escaped := true
      else Buffer.add_char out c
    done;
    Buffer.contents out
  end

(* A value by its first letter; "-" is none. *)
let value_from field : data option =
  if field = "" then expected "a value" field;
  let rest () = String.sub field 1 (String.length field - 1) in
  match field.[0] with
  | '-' -> None
  | 'i' -> Some (Whole (number (rest ())))
  | 'f' -> (match float_of_string_opt (rest ()) with Some x -> Some (Real x) | None -> expected "a float" field)
  | 's' -> Some (Text (words (unescaped field 1)))
  | 'b' -> Some (Truth (field = "b1"))
  | _ -> expected "a value" field

(* A name is given to events that may be suppressed: those of one time are decided in the order of their names. *)
type fact = { place : int; its_template : int; stamp : Whole_numbers.t; columns : data option array; name : string }
let fact (e : event) : fact = Obj.magic e
let events : events =
  let far = Whole_numbers.shift_left Whole_numbers.one 63 in
  { template = (fun e -> (fact e).its_template); time = (fun e -> (fact e).stamp); horizon = far;
    infinity = Whole_numbers.shift_left Whole_numbers.one 100; with_set = (fun e _ -> e) }
let precedes (a : event) (b : event) =
  let a = fact a and b = fact b in
  let c = Whole_numbers.compare a.stamp b.stamp in
  c < 0 || (c = 0 && (let c = String.compare a.name b.name in c < 0 || (c = 0 && a.place <= b.place)))
let attribute e column = (fact e).columns.(column)

let finite x = if Float.is_finite x then Some x else None
let operations =
  { calculated_real = (fun operation x y -> match operation with
      | Plus -> finite (x +. y) | Minus -> finite (x -. y) | Times -> finite (x *. y)
      | Divided -> if y = 0.0 then None else finite (x /. y));
    opposite_real = (fun x -> -. x); absolute_real = Float.abs; real_of_whole = Whole_numbers.to_float;
    equal_reals = (fun (x : float) y -> x = y); less_real = (fun (x : float) y -> x < y);
    number_of_text = (fun text -> text.its_number);
    less_text = (fun a b -> String.compare a.characters b.characters < 0) }

(* ---- Events, from lines of fields with tabs between ---- *)

let fact_of name = function
  | place :: template :: stamp :: columns ->
      { place = natural place; its_template = natural template; stamp = number stamp;
        columns = Array.of_list (List.map value_from columns); name }
  | fields -> expected "an event" (String.concat " " fields)
let fields line = String.split_on_char '\t' line
let event_of line : event = Obj.magic (fact_of "" (fields line))
let named_event_of line : event = match fields line with
  | name :: fields -> Obj.magic (fact_of name fields)
  | [] -> expected "an event" line
let places l = String.concat " " (List.map (fun e -> string_of_int (fact e).place) l)
let with_sets v sets = places v ^ String.concat "" (List.map (fun set -> " / " ^ places set) sets)

let ask question = Printf.printf "? %s\n%!" question; input_line stdin
let elsewhere n v = value_from (ask (Printf.sprintf "computed %d %s" n (places v)))

(* ---- The program, from words with blanks between ---- *)

let rest : string list ref = ref []
let next () = match !rest with word :: more -> rest := more; word | [] -> failwith "the program ends too early"
let next_natural () = natural (next ())
let next_number () =
  let word = next () in
  try Whole_numbers.of_string_base 2 word with Invalid_argument _ -> expected "a binary number" word
let flag () = match next () with "1" -> true | "0" -> false | word -> expected "0 or 1" word
let list_of read = let n = next_natural () in List.init n (fun _ -> read ())

let rec read_expression () =
  let two make = let x = read_expression () in make x (read_expression ()) in
  match next () with
  | "literal" -> (match value_from (next ()) with Some v -> Literal v | None -> failwith "a literal has a value")
  | "attribute" -> let i = next_natural () in Attribute (i, next_natural ())
  | "timestamp" -> TimeOf (next_natural ())
  | "computed" -> Computed (next_natural ())
  | "float" -> ToReal (read_expression ())
  | "opposite" -> Opposite (read_expression ())
  | "abs" -> Absolute (read_expression ())
  | "not" -> Negated (read_expression ())
  | "present" -> let wanted = flag () in Present (read_expression (), wanted)
  | "and" -> two (fun x y -> Both (x, y))
  | "or" -> two (fun x y -> Either (x, y))
  | "+" -> two (fun x y -> Calculated (Plus, x, y))
  | "-" -> two (fun x y -> Calculated (Minus, x, y))
  | "*" -> two (fun x y -> Calculated (Times, x, y))
  | "/" -> two (fun x y -> Calculated (Divided, x, y))
  | "=" -> two (fun x y -> Compared (Equal, x, y))
  | "!=" -> two (fun x y -> Compared (Unequal, x, y))
  | "<" -> two (fun x y -> Compared (Less, x, y))
  | "<=" -> two (fun x y -> Compared (AtMost, x, y))
  | ">" -> two (fun x y -> Compared (Greater, x, y))
  | ">=" -> two (fun x y -> Compared (AtLeast, x, y))
  | word -> expected "an expression" word

(* The timestamp of an event of a set is at least the opening of the window of the set. *)
let exact = ref true
let rec read_timestamp () =
  match next () with
  | "v" -> OfVariable (next_natural ())
  | "s" -> let d = next_number () in Shifted (read_timestamp (), d)
  | "min" -> Earliest (list_of read_timestamp)
  | "max" -> Latest (list_of read_timestamp)
  | "set" -> exact := false; Latest (list_of read_timestamp)
  | "avg" -> Average (list_of read_timestamp)
  | word -> expected "v, s, min, max, set or avg" word

let read_pattern () =
  let r_template = next_natural () in
  let r_own = list_of read_expression in
  { r_template; r_own; r_joint = list_of read_expression }
let read_distances () =
  list_of (fun () ->
    let j = next_natural () in
    let least = if flag () then Some (next_number ()) else None in
    (j, (least, next_number ())))

let read_emission event_of rule =
  let position = next_natural () in
  let template = next_natural () in
  exact := true;
  let at = read_timestamp () in
  let exact = !exact in
  { r_emits = template; r_at = at; r_generate = (fun v sets ->
    match ask (Printf.sprintf "emit %d %d %s" rule position (with_sets v sets)) with
    | "none" -> None
    | line ->
        let e = event_of line in
        let instant = instant at (List.map events.time v) in
        let compared = Whole_numbers.compare (fact e).stamp instant in
        if (fact e).its_template <> template || compared < 0 || (exact && compared <> 0) then
          failwith (Printf.sprintf "emission %d of rule %d has another template or timestamp" position rule);
        Some e) }

let rules = ref 0
let read_rule () =
  let rule = !rules in
  incr rules;
  let first = read_pattern () in
  let sets = ref [] in
  let further = List.concat (list_of (fun () ->
    match next () with
    | "0" -> [ReadBound [read_pattern ()]]
    | "1" -> let what = read_pattern () in [ReadAbsent (what, read_distances ())]
    | "2" -> let what = read_pattern () in sets := (what, read_distances ()) :: !sets; []
    | word -> expected "0, 1 or 2" word)) in
  let constraints = list_of (fun () ->
    let subject = next_natural () in let reference = next_natural () in
    let least = next_number () in { subject; reference; least; greatest = next_number () }) in
  let having = if flag () then
      Some (fun v sets -> Some (ask (Printf.sprintf "having %d %s" rule (with_sets v sets)) = "1"))
    else None in
  { r_first = [first]; r_further = further; r_when = constraints; r_sets = List.rev !sets; r_having = having;
    r_emissions = list_of (fun () -> read_emission event_of rule) }

(* Its emissions stand with the numbers of their rules among all; behind those of the strata below. *)
let read_suppression below () =
  let r_suppressed = next_natural () in
  let r_key = next_natural () in
  let r_apart = next_number () in
  { r_suppressed; r_key; r_apart; r_suppressible = list_of (fun () ->
    let rule = next_natural () in (rule - below, read_emission named_event_of rule)) }
let read_stratum () =
  let below = !rules in
  let its_rules = list_of read_rule in
  (its_rules, list_of (read_suppression below))

(* ---- Batches ---- *)

let patience = 256
(* No match that is still to come has an event before this time: where rules read more than one stratum, the least. *)
let limit templates strata bounds =
  let lower a b = match a, b with
    | Some x, Some y -> Some (Whole_numbers.min x y) | None, y -> y | x, None -> x in
  let rec from known bounds = function
    | [] -> known
    | s :: above ->
        let of_rule known (p, _) = lower known (earlier (rule_bound events bounds p.rule_of) (Whole_numbers.add p.ahead p.back)) in
        let of_suppression known (u, _) = lower known (earlier (bound_of_suppression events s.its_rules bounds u) u.apart) in
        let known = List.fold_left of_suppression (List.fold_left of_rule known s.its_rules) s.its_suppressions in
        from known (List.init templates (bound_above events s bounds)) above in
  from None bounds strata

let shown found =
  List.iteri (fun rule matches ->
    List.iter (fun (v, sets) -> Printf.printf "%d %s\n" rule (with_sets v sets)) matches) found
let shown_decisions decided =
  let shown = function
    | e, None -> Printf.printf "passed %d\n" (fact e).place
    | e, Some by -> Printf.printf "suppressed %d %d\n" (fact e).place (fact by).place in
  List.iter (fun decisions -> List.iter shown (List.rev decisions)) decided

let serve line =
  rest := List.filter (( <> ) "") (String.split_on_char ' ' line);
  (match next () with "program" -> () | word -> expected "program" word);
  rules := 0;
  let templates = next_natural () in
  let program = list_of read_stratum in
  if !rest <> [] then expected "the end of the program" (next ());
  let plans = plans_of events operations attribute elsewhere program in
  List.iteri (fun rule p -> if not (plan_passes events templates p) then
    failwith (Printf.sprintf "rule %d is not admitted" rule)) (List.concat_map fst plans);
  if not (is_admitted events operations attribute elsewhere templates program) then failwith "not admitted";
  let strata = ref (at_the_start events plans) in
  print_endline "admitted";
  let rec batches () =
    match input_line stdin with
    | exception End_of_file -> None
    | line ->
        match String.split_on_char ' ' line with
        | ["batch"; count] ->
            (* All of it is read before an answer is written, so that neither side waits for the other. *)
            let lines = List.rev (List.fold_left (fun l _ -> input_line stdin :: l) [] (List.init (natural count) Fun.id)) in
            let bounds = input_line stdin in
            let bounds = List.map (fun word -> if word = "." then None else Some (number word))
              (List.filter (( <> ) "") (String.split_on_char ' ' bounds)) in
            let batch = { arrived = List.rev (List.rev_map event_of lines); bounds_after = bounds } in
            let (found, decided), next = step_of_strata events precedes patience batch !strata in
            strata := next;
            shown found;
            shown_decisions decided;
            (match limit templates next bounds with
            | None -> print_endline "= ."
            | Some time -> Printf.printf "= %s\n%!" (Whole_numbers.to_string time));
            batches ()
        | _ -> Some line in
  batches ()

let () =
  (* Most memory is trees that live as long as a window: larger heaps are marked less often. *)
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 200 };
  try
    let rec programs = function None -> () | Some line -> programs (serve line) in
    programs (try Some (input_line stdin) with End_of_file -> None)
  with
  | Failure reason | Invalid_argument reason -> Printf.printf "! %s\n%!" reason; exit 2
  | End_of_file -> print_endline "! the input ends too early"; exit 2
  | Stack_overflow | Out_of_memory -> print_endline "! too long for this program"; exit 2
