<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\Json\HeadroomJson;
use Headroom\Tests\Laravel\Support\Json\SpoolJson;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/commands.md has a section per command, with its arguments and options, and docs/json-output.md an example of its
 * JSON. A new command needs a section there and, if it has --json, a way to be run in Support/Json.
 */
#[Group('smoke')]
final class CommandsGuideTest extends TestCase
{
    private const GENERAL = [
        'help', 'silent', 'quiet', 'version', 'ansi', 'no-ansi', 'no-interaction', 'env', 'verbose',
    ];

    private string $guide;

    private string $json;

    protected function setUp(): void
    {
        $this->guide = (string) file_get_contents(dirname(__DIR__, 2).'/docs/commands.md');
        $this->json = (string) file_get_contents(dirname(__DIR__, 2).'/docs/json-output.md');
    }

    #[Test]
    public function each_command_has_a_section_and_a_link_of_the_overview(): void
    {
        preg_match_all('/^## `((?:spool|headroom):[\w:-]+)`$/m', $this->guide, $sections);
        $overview = (string) strstr($this->guide, '## Rules', true);
        preg_match_all('/\[`((?:spool|headroom):[\w:-]+)`]\(#/', $overview, $links);
        $registered = array_keys($this->commands());

        self::assertEqualsCanonicalizing($registered, $sections[1]);
        self::assertEqualsCanonicalizing($registered, $links[1]);
    }

    #[Test]
    public function each_section_has_the_arguments_options_and_defaults_of_its_command(): void
    {
        foreach ($this->commands() as $name => $defined) {
            preg_match_all(
                '/^- `(--)?([\w-]+)(=[A-Z]+)?`(?: \(default (.+?)\))?: \S/m',
                $this->section($name),
                $rows,
                PREG_SET_ORDER,
            );
            $documented = [];

            foreach ($rows as $row) {
                // A default that is a number is told as such; words tell what happens without one.
                $default = $row[4] ?? '';
                $documented["{$row[1]}{$row[2]}"] = [
                    ($row[3] ?? '') !== '',
                    ctype_digit($default) ? $default : null,
                ];
            }

            self::assertEquals($defined, $documented, $name);
        }
    }

    #[Test]
    public function each_section_says_when_the_command_ends_with_what(): void
    {
        foreach (array_keys($this->commands()) as $name) {
            self::assertMatchesRegularExpression('/Ends with [01]\b/', $this->section($name), $name);
        }
    }

    #[Test, Group('day-2')]
    public function each_example_of_json_has_the_members_that_the_command_prints(): void
    {
        $sample = Sample::of($this->commands(), 12);

        foreach ($this->commands() as $name => $defined) {
            $has = preg_match("/^## `{$name}`\n(?:(?!^## ).)*?^```json\n(.*?)^```$/ms", $this->json, $example) === 1;
            self::assertSame(
                isset($defined['--json']),
                $has,
                "{$name}: an example for each command with --json, and for no other",
            );
            self::assertStringNotContainsString('```json', $this->section($name), $name);

            if ($has && isset($sample[$name])) {
                self::assertSame(
                    $this->members(json_decode(self::printed($name), true, flags: JSON_THROW_ON_ERROR)),
                    $this->members(json_decode($example[1], true, flags: JSON_THROW_ON_ERROR)),
                    $name,
                );
            }
        }
    }

    private static function printed(string $command): string
    {
        return str_starts_with($command, 'spool:')
            ? (new SpoolJson)->of($command)
            : (new HeadroomJson)->of($command);
    }

    /**
     * @return array<mixed> names, all the way down; a list is told by its first element, values of events are anybody's
     */
    private function members(mixed $document): array
    {
        $members = [];

        foreach (is_array($document) ? $document : [] as $name => $value) {
            if ($name !== 'values' && (! is_int($name) || $name === 0)) {
                $members[$name] = $this->members($value);
            }
        }

        return $members;
    }

    private function section(string $command): string
    {
        self::assertSame(
            1,
            preg_match("/^## `{$command}`\n(.*?)(?=^## |\z)/ms", $this->guide, $section),
            "docs/commands.md has no section of {$command}.",
        );

        return $section[1];
    }

    /**
     * @return array<string, array<string, array{bool, ?string}>> by command and argument or option:
     *     whether it takes a value, and the default
     */
    private function commands(): array
    {
        $workbench = WorkbenchApplication::boot();

        try {
            $list = json_decode($workbench->artisan('list', ['--format' => 'json']), true, flags: JSON_THROW_ON_ERROR);
        } finally {
            $workbench->shut();
        }

        $commands = [];
        self::assertIsArray($list);
        self::assertIsArray($list['commands']);
        $list['commands'] = array_filter(
            $list['commands'],
            static fn (mixed $command): bool => is_array($command)
                && is_string($command['name'] ?? null)
                && preg_match(
                    '/^(spool|headroom):(?!(?:collect|bench|load):worker$|doctor:background$|collect:cache)/',
                    $command['name'],
                ) === 1,
        );

        /**
         * @var array{
         *     name: string,
         *     definition: array{
         *         arguments: array<string, array{default: mixed}>,
         *         options: array<string, array{accept_value: bool, default: mixed}>,
         *     },
         * } $command
         */
        foreach ($list['commands'] as $command) {
            $commands[$command['name']] = [];

            foreach ($command['definition']['arguments'] as $name => $argument) {
                $commands[$command['name']][$name] = [false, $this->asText($argument['default'])];
            }

            foreach (array_diff_key($command['definition']['options'], array_flip(self::GENERAL)) as $name => $option) {
                $commands[$command['name']]["--{$name}"] = [$option['accept_value'], $this->asText($option['default'])];
            }
        }

        return $commands;
    }

    private function asText(mixed $default): ?string
    {
        return is_numeric($default) ? (string) $default : null;
    }
}
