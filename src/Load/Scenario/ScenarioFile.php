<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

use Headroom\Load\Expectation;
use Headroom\Load\InvalidPlan;
use Headroom\Load\Target;
use Headroom\Load\Template;

/**
 * Reads a scenario from its JSON file, whose format docs/load.md describes.
 *
 * @internal
 */
final class ScenarioFile
{
    private const MOST_SECONDS = 3_600.0;

    /** @var list<string> the variables that the steps so far have set */
    private array $variables = [];

    private function __construct(private readonly string $base) {}

    /** @throws InvalidPlan */
    public static function read(string $file, Target $base): Scenario
    {
        return (new self($base->base()))->scenario(JsonNode::read($file), dirname($file));
    }

    private function scenario(JsonNode $root, string $directory): Scenario
    {
        $root->demandOnly('steps', 'data', 'keep_cookies');
        $name = $root->at('data')?->text();
        $data = $name === null ? null : DataFile::read(str_starts_with($name, '/') ? $name : "{$directory}/{$name}");
        $this->variables = $data === null ? [] : $data->columns;
        $list = $root->at('steps') ?? throw $root->missing('steps', 'a list of requests');
        $steps = array_map($this->step(...), $list->items());

        return $steps === []
            ? throw $list->wrong('a list of at least one request')
            : new Scenario($steps, $root->at('keep_cookies')?->isTrue() ?? false, $data);
    }

    private function step(JsonNode $node): Step
    {
        $node->demandOnly('name', 'method', 'path', 'headers', 'body', 'json', 'form', 'expect', 'capture', 'think');
        $path = $node->at('path') ?? throw $node->missing('path', "a path such as '/login', or an address");
        $body = $this->body($node);
        $method = $node->at('method')?->text() ?? ($body === null ? 'GET' : 'POST');
        [$base, $rest] = $this->split($path);
        $step = new Step(
            $node->at('name')?->text() ?? "{$method} {$path->text()}",
            $method === '' ? throw $node->missing('method', 'an HTTP method such as GET or POST') : $method,
            $base,
            $this->template($path, $rest),
            array_map(
                fn (JsonNode $header): Template => $this->template($header, $header->word()),
                $node->at('headers')?->members() ?? [],
            ),
            $body,
            $this->expected($node->at('expect')),
            $this->captures($node->at('capture')),
            $this->thinkTime($node->at('think')),
        );

        try {
            // A request that no value makes valid is refused before the run.
            $step->request(0, array_fill_keys($this->variables, 'x'));
        } catch (InvalidPlan $e) {
            throw $node->invalid($e);
        }

        array_push(
            $this->variables,
            ...array_map(static fn (Capture $capture): string => $capture->name, $step->captures),
        );

        return $step;
    }

    /**
     * @return array{string, string} scheme and host, which cannot have placeholders, and the rest of the address
     */
    private function split(JsonNode $path): array
    {
        if (str_starts_with($path->text(), '/')) {
            return [$this->base, $path->text()];
        }

        if (preg_match('~\A(https?://[^/?#{}]+)(/.*)?\z~is', $path->text(), $m) !== 1) {
            throw $path->wrong("a path that starts with '/', or an address without placeholders in its host");
        }

        return [Target::fromUrl($m[1])->base(), $m[2] ?? '/'];
    }

    private function body(JsonNode $node): ?StepBody
    {
        [$text, $json, $form] = [$node->at('body'), $node->at('json'), $node->at('form')];

        if (count(array_filter([$text, $json, $form], static fn (?JsonNode $given): bool => $given !== null)) > 1) {
            throw $node->wrong('a request with one of body, json and form');
        }

        return match (true) {
            $text !== null => StepBody::text($this->template($text, $text->text())),
            $json !== null => StepBody::json($this->template($json, $json->json())),
            $form !== null => StepBody::form(array_map(
                fn (JsonNode $field): Template => $this->template($field, $field->word()),
                $form->members(),
            )),
            default => null,
        };
    }

    private function expected(?JsonNode $node): ?Expectation
    {
        if ($node === null) {
            return null;
        }

        $node->demandOnly('status', 'body');
        $status = $node->at('status');
        $statuses = $status === null ? [] : ($status->isList() ? $status->items() : [$status]);
        $body = $node->at('body');

        return new Expectation(
            array_map(static fn (JsonNode $one): int => (int) $one->number(100, 599), $statuses),
            $body === null
                ? null
                : ($body->text() === '' ? throw $body->wrong('a text of at least one byte') : $body->text()),
        );
    }

    /** @return list<Capture> */
    private function captures(?JsonNode $node): array
    {
        $captures = [];

        foreach ($node?->members() ?? [] as $name => $how) {
            if (! VariableName::isValid($name)) {
                throw $how->wrong('a capture whose name has letters, digits and _ only, and is not n, uuid or random');
            }

            $how->demandOnly('regex', 'json');
            [$regex, $path] = [$how->at('regex'), $how->at('json')];

            $captures[] = match (true) {
                $regex !== null && $path === null => Capture::byRegex($name, $regex->text())
                    ?? throw $regex->wrong('a regular expression of PCRE without delimiters'),
                $path !== null && $regex === null => Capture::byPath($name, $path->text()),
                default => throw $how->wrong(
                    "an object with either 'regex' or 'json', which is a path such as data.0.id",
                ),
            };
        }

        return $captures;
    }

    private function thinkTime(?JsonNode $node): ThinkTime
    {
        if ($node === null) {
            return new ThinkTime(0.0, 0.0);
        }

        if (! $node->isList()) {
            $seconds = $node->number(0.0, self::MOST_SECONDS);

            return new ThinkTime($seconds, $seconds);
        }

        $range = array_map(static fn (JsonNode $one): float => $one->number(0.0, self::MOST_SECONDS), $node->items());

        return count($range) === 2 && $range[0] <= $range[1]
            ? new ThinkTime(...$range)
            : throw $node->wrong('a number of seconds, or a range such as [1, 3]');
    }

    private function template(JsonNode $node, string $text): Template
    {
        try {
            return Template::parse($text, variables: array_values(array_unique($this->variables)));
        } catch (InvalidPlan) {
            $known = ['n', 'uuid', 'random:A-B', ...array_unique($this->variables)];

            throw $node->wrong(
                'a text with placeholders that have a value at this step: {{'.implode('}}, {{', $known).'}}',
            );
        }
    }
}
