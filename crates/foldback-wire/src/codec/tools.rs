//! Definitions of tools, in the shape of each provider.

use foldback_model::{ToolDefinition, WireFormat};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::{self, Object, quote};
use crate::list::{place, syntax, without_mark};
use crate::{ReadError, ReadErrorKind};

/// What [`read_tools`] takes.
const EXPECTED: &str = "a JSON list of tool definitions";

/// Reads a list of tool definitions, each in the shape of any of the providers.
///
/// ```
/// let tools = foldback_wire::read_tools(r#"[{"name": "read", "input_schema": {"type": "object"}}]"#)?;
/// assert_eq!((tools[0].name.as_str(), tools[0].schema.as_str()), ("read", r#"{"type":"object"}"#));
/// # Ok::<(), foldback_wire::ReadError>(())
/// ```
///
/// # Errors
///
/// [`ReadError`] with the place: of the kind [`Empty`](ReadErrorKind::Empty) for blank text,
/// [`Syntax`](ReadErrorKind::Syntax) for text that is not JSON, [`Shape`](ReadErrorKind::Shape) for
/// anything but a list and for elements that define no tool.
pub fn read_tools(json: &str) -> Result<Vec<ToolDefinition>, ReadError> {
    let body = without_mark(json);
    if body.trim().is_empty() {
        return Err(ReadError::new(ReadErrorKind::Empty, "the file is empty", EXPECTED));
    }
    let whole: &RawValue = serde_json::from_str(body)
        .map_err(|error| ReadError { expected: EXPECTED.to_owned(), ..syntax(body, &error) })?;
    let misshapen = |part: &str, message: String| {
        place(ReadError::new(ReadErrorKind::Shape, message, EXPECTED), json, part)
    };
    let elements = json::list(whole.get()).ok_or_else(|| misshapen(whole.get(), "no list".to_owned()))?;
    let mut tools = Vec::new();
    for (index, element) in elements.into_iter().enumerate() {
        let defined = decode(element);
        if defined.iter().any(|tool| tool.name.is_empty()) {
            return Err(misshapen(element, format!("`[{index}]` defines no tool with a name")));
        }
        tools.extend(defined);
    }
    Ok(tools)
}

/// The tools that one element of `tools` defines, in whatever provider's shape.
pub(super) fn decode(json: &str) -> Vec<ToolDefinition> {
    let Some(object) = Object::parse(json) else { return vec![ToolDefinition::new("", "", json)] };
    let declarations = object.get_any(&["functionDeclarations", "function_declarations"]);
    if let Some(declarations) = declarations.and_then(json::list) {
        return declarations.into_iter().flat_map(decode).collect();
    }
    let body = object.object("function").or_else(|| object.object("custom")).unwrap_or(object);
    let schema =
        body.get_any(&["parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema"]);
    let name = body.text("name").or_else(|| body.text("type"));
    // Gemini's built-in tools are members: `{"googleSearch": {}}`.
    let name = name.or_else(|| body.members().next().map(|(name, _)| name.to_owned())).unwrap_or_default();
    let description = body.text("description").unwrap_or_default();
    let is_function = body.text("type").is_none_or(|kind| kind == "function");
    let schema = match schema {
        Some(schema) => json::compact(schema),
        // A function without parameters.
        None if is_function && body.has("name") => "{}".to_owned(),
        // Without a schema, the whole definition is what a model gets to read of it.
        None => json::compact(json),
    };
    vec![ToolDefinition::new(name, description, schema)]
}

/// `tools` as `wire` defines them, or `None` if there are none. Tools that only their own provider
/// can run are lost.
pub(super) fn encode(
    wire: WireFormat,
    tools: &[ToolDefinition],
    lost: &mut dyn FnMut(String),
) -> Option<String> {
    let mut definitions = Vec::new();
    for tool in tools {
        match schema(tool) {
            Some(schema) => definitions.push(define(wire, tool, &schema)),
            None => lost(format!("the tool `{}`, which its provider runs", tool.name)),
        }
    }
    if definitions.is_empty() {
        return None;
    }
    let list = definitions.join(",");
    Some(match wire {
        WireFormat::Gemini => format!(r#"[{{"functionDeclarations":[{list}]}}]"#),
        _ => format!("[{list}]"),
    })
}

fn define(wire: WireFormat, tool: &ToolDefinition, schema: &str) -> String {
    let mut members = vec![format!(r#""name":{}"#, quote(&tool.name))];
    if !tool.description.is_empty() {
        members.push(format!(r#""description":{}"#, quote(&tool.description)));
    }
    let schema_key = match wire {
        WireFormat::Anthropic => "input_schema",
        WireFormat::Gemini => "parametersJsonSchema",
        _ => "parameters",
    };
    members.push(format!(r#""{schema_key}":{schema}"#));
    let members = members.join(",");
    match wire {
        WireFormat::OpenAiChat => format!(r#"{{"type":"function","function":{{{members}}}}}"#),
        WireFormat::OpenAiResponses => format!(r#"{{"type":"function",{members}}}"#),
        _ => format!("{{{members}}}"),
    }
}

/// The schema as every provider takes it, or `None` for what is no schema of arguments.
fn schema(tool: &ToolDefinition) -> Option<String> {
    let Ok(Value::Object(mut schema)) = serde_json::from_str(&tool.schema) else { return None };
    if schema.is_empty() {
        return Some(r#"{"type":"object","properties":{}}"#.to_owned());
    }
    let is_object = |kind: &Value| kind.as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("object"));
    let is_schema = schema.get("type").map_or(schema.contains_key("properties"), is_object);
    if !is_schema {
        return None;
    }
    schema.entry("type").or_insert_with(|| "object".into());
    let mut schema = Value::Object(schema);
    if schema.get("type").is_some_and(|kind| kind == "OBJECT") {
        lower_types(&mut schema);
    }
    Some(schema.to_string())
}

/// Gemini writes the names of types in capitals, JSON Schema in small letters.
fn lower_types(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(kind) if name == "type" => kind.make_ascii_lowercase(),
                    other => lower_types(other),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(lower_types),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &str, to: WireFormat, expected: &str) {
        let mut lost = Vec::new();
        let tools = decode(from);
        let json = encode(to, &tools, &mut |what| lost.push(what)).unwrap_or_default();
        assert_eq!(json, expected, "{tools:?} {lost:?}");
        assert_eq!(json.is_empty(), !lost.is_empty());
    }

    #[test]
    fn every_shape_becomes_every_other() {
        let chat = r#"[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}]"#;
        let responses =
            r#"[{"type":"function","name":"f","description":"d","parameters":{"type":"object"}}]"#;
        let anthropic = r#"[{"name":"f","description":"d","input_schema":{"type":"object"}}]"#;
        let gemini = r#"[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":{"type":"object"}}]}]"#;
        let shapes = [
            (WireFormat::OpenAiChat, chat),
            (WireFormat::OpenAiResponses, responses),
            (WireFormat::Anthropic, anthropic),
            (WireFormat::Gemini, gemini),
        ];
        for (_, from) in shapes {
            for (to, expected) in shapes {
                check(&from[1..from.len() - 1], to, expected);
            }
        }
    }

    #[test]
    fn a_list_of_every_shape_is_read() {
        let list = r#"[{"type": "function", "function": {"name": "a", "description": "d", "parameters": {"x": 1}}},
            {"name": "b", "input_schema": {"y": 2}}, {"functionDeclarations": [{"name": "c"}, {"name": "e"}]},
            {"googleSearch": {}}]"#;
        let tools = read_tools(list).unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "e", "googleSearch"]);
        assert_eq!(tools[0], ToolDefinition::new("a", "d", r#"{"x":1}"#));
        assert!(read_tools("\u{FEFF}[]").unwrap().is_empty());
    }

    #[test]
    fn what_is_no_list_of_tools_is_refused_with_its_place() {
        for (text, kind, place) in [
            (" \n", ReadErrorKind::Empty, (None, None)),
            ("[{]", ReadErrorKind::Syntax, (Some(1), Some(3))),
            ("[", ReadErrorKind::Syntax, (Some(1), Some(1))),
            ("\n {}", ReadErrorKind::Shape, (Some(2), Some(2))),
            ("[{\"name\": \"a\"},\n  3]", ReadErrorKind::Shape, (Some(2), Some(3))),
            ("[{}]", ReadErrorKind::Shape, (Some(1), Some(2))),
            (r#"[{"functionDeclarations": [3]}]"#, ReadErrorKind::Shape, (Some(1), Some(2))),
        ] {
            let error = read_tools(text).unwrap_err();
            assert_eq!((error.kind, (error.line, error.column)), (kind, place), "{text}: {error}");
            assert_eq!(error.expected, EXPECTED);
        }
    }

    #[test]
    fn a_provider_s_own_tool_stays_with_it() {
        check(
            r#"{"type": "web_search_20250305", "name": "web_search", "max_uses": 3}"#,
            WireFormat::OpenAiChat,
            "",
        );
        check(r#"{"googleSearch": {}}"#, WireFormat::Anthropic, "");
    }

    #[test]
    fn a_tool_without_parameters_gets_an_empty_object() {
        let expected = r#"[{"name":"f","input_schema":{"type":"object","properties":{}}}]"#;
        check(r#"{"name": "f"}"#, WireFormat::Anthropic, expected);
        check(r#"{"type": "function", "function": {"name": "f"}}"#, WireFormat::Anthropic, expected);
    }

    #[test]
    fn types_in_capitals_become_small() {
        check(
            r#"{"name": "f", "parameters": {"type": "OBJECT", "properties": {"n": {"type": "STRING"}}}}"#,
            WireFormat::OpenAiResponses,
            r#"[{"type":"function","name":"f","parameters":{"type":"object","properties":{"n":{"type":"string"}}}}]"#,
        );
    }
}
