<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

use Headroom\Load\Expectation;
use Headroom\Load\InvalidPlan;
use Headroom\Load\Target;
use Headroom\Load\Template;

/**
 * Reads a scenario from its file: docs/load.md says what is in it.
 *
 * @internal
 */
final class ScenarioFile
{
    private const MOST_SECONDS = 3_600.0;

    /** @var list<string> values that the steps so far know */
    private array $known = [];

    private function __construct(private readonly string $base) {}

    /** @throws InvalidPlan */
    public static function read(string $file, Target $base): Scenario
    {
        return (new self($base->base()))->scenario(Node::read($file), dirname($file));
    }

    private function scenario(Node $root, string $directory): Scenario
    {
        $root->demandOnly('steps', 'data', 'keep_cookies');
        $name = $root->at('data')?->text();
        $data = $name === null ? null : DataFile::read(str_starts_with($name, '/') ? $name : "{$directory}/{$name}");
        $this->known = $data === null ? [] : $data->columns;
        $list = $root->at('steps') ?? throw $root->missing('steps', 'a list of requests');
        $steps = array_map($this->step(...), $list->items());

        return $steps === []
            ? throw $list->wrong('a list of one request or more')
            : new Scenario($steps, $root->at('keep_cookies')?->isTrue() ?? false, $data);
    }

    private function step(Node $node): Step
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
                fn (Node $header): Template => $this->template($header, $header->word()),
                $node->at('headers')?->members() ?? [],
            ),
            $body,
            $this->expected($node->at('expect')),
            $this->captures($node->at('capture')),
            $this->think($node->at('think')),
        );

        try {
            // Whatever is wrong with it in any case shows before the run.
            $step->request(0, array_fill_keys($this->known, 'x'));
        } catch (InvalidPlan $e) {
            throw $node->wrong("a request that can be sent. {$e->getMessage()}");
        }

        array_push($this->known, ...array_map(static fn (Capture $capture): string => $capture->name, $step->captures));

        return $step;
    }

    /**
     * @return array{string, string} of an address or a path: what it begins with and may not be filled in, and the rest
     */
    private function split(Node $path): array
    {
        if (str_starts_with($path->text(), '/')) {
            return [$this->base, $path->text()];
        }

        if (preg_match('~\A(https?://[^/?#{}]+)(/.*)?\z~is', $path->text(), $m) !== 1) {
            throw $path->wrong("a path that begins with '/', or an address whose host is not filled in");
        }

        return [Target::fromUrl($m[1])->base(), $m[2] ?? '/'];
    }

    private function body(Node $node): ?Body
    {
        [$text, $json, $form] = [$node->at('body'), $node->at('json'), $node->at('form')];

        if (count(array_filter([$text, $json, $form], static fn (?Node $given): bool => $given !== null)) > 1) {
            throw $node->wrong('a request with one of body, json and form');
        }

        return match (true) {
            $text !== null => Body::text($this->template($text, $text->text())),
            $json !== null => Body::json($this->template($json, $json->json())),
            $form !== null => Body::form(array_map(
                fn (Node $field): Template => $this->template($field, $field->word()),
                $form->members(),
            )),
            default => null,
        };
    }

    private function expected(?Node $node): ?Expectation
    {
        if ($node === null) {
            return null;
        }

        $node->demandOnly('status', 'body');
        $status = $node->at('status');
        $statuses = $status === null ? [] : ($status->isList() ? $status->items() : [$status]);
        $body = $node->at('body');

        return new Expectation(
            array_map(static fn (Node $one): int => (int) $one->number(100, 599), $statuses),
            $body === null
                ? null
                : ($body->text() === '' ? throw $body->wrong('a text of a byte or more') : $body->text()),
        );
    }

    /** @return list<Capture> */
    private function captures(?Node $node): array
    {
        $captures = [];

        foreach ($node?->members() ?? [] as $name => $how) {
            if (! Names::isOne($name)) {
                throw $how->wrong('named with letters, digits and _, and not n, uuid or random');
            }

            $how->demandOnly('regex', 'json');
            [$regex, $path] = [$how->at('regex'), $how->at('json')];

            $captures[] = match (true) {
                $regex !== null && $path === null => Capture::byRegex($name, $regex->text())
                    ?? throw $regex->wrong('a regular expression of PCRE, without delimiters'),
                $path !== null && $regex === null => Capture::byPath($name, $path->text()),
                default => throw $how->wrong("an object with 'regex' or with 'json', a path such as data.0.id"),
            };
        }

        return $captures;
    }

    private function think(?Node $node): Think
    {
        if ($node === null) {
            return new Think(0.0, 0.0);
        }

        if (! $node->isList()) {
            $seconds = $node->number(0.0, self::MOST_SECONDS);

            return new Think($seconds, $seconds);
        }

        $range = array_map(static fn (Node $one): float => $one->number(0.0, self::MOST_SECONDS), $node->items());

        return count($range) === 2 && $range[0] <= $range[1]
            ? new Think(...$range)
            : throw $node->wrong('a number of seconds, or the shortest and the longest such as [1, 3]');
    }

    private function template(Node $node, string $text): Template
    {
        try {
            return Template::parse($text, variables: array_values(array_unique($this->known)));
        } catch (InvalidPlan) {
            $known = ['n', 'uuid', 'random:A-B', ...array_unique($this->known)];

            throw $node->wrong('filled in with what is known by then: {{'.implode('}}, {{', $known).'}}');
        }
    }
}
