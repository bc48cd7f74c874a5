<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Markdown;

use Headroom\Tests\Architecture\Files;

/**
 * The settings on docs/configuration.md: a heading per key with a list of its type, default and variable, or a list
 * item per key below the heading of an array.
 */
final readonly class SettingsPage
{
    public const PATH = 'docs/configuration.md';

    private const LIST_ITEM = '/^- `(\w+)`: ([^;]+); (?:default ([^;]+?)|required)\. (\S.*)$/';

    /** @param array<string, array{type: string, default: ?string, environment: ?string, meaning: string}> $settings */
    private function __construct(private array $settings) {}

    public static function read(): self
    {
        return self::fromText(Files::read(self::PATH));
    }

    public static function fromText(string $page): self
    {
        $settings = [];
        // A list item may continue on indented lines.
        $page = (string) preg_replace('/\n  (?=\S)/', ' ', $page);
        preg_match_all('/^### `([^`]+)`\n(.*?)(?=^##|\z)/ms', $page, $sections, PREG_SET_ORDER);

        foreach ($sections as [, $key, $text]) {
            if (preg_match('/^- Type: (.+)\n- Default: (.+)$/m', $text, $found) === 1) {
                $settings[$key] = [
                    'type' => $found[1],
                    'default' => self::plain($found[2]),
                    'environment' => preg_match('/^- Environment: `(\w+)`$/m', $text, $name) === 1 ? $name[1] : null,
                    'meaning' => trim((string) strstr($text, '- Type:', true)),
                ];
            }

            preg_match_all('/^- `.*$/m', $text, $lines);

            foreach ($lines[0] as $line) {
                $settings["{$key}.".(preg_match(self::LIST_ITEM, $line, $found) === 1 ? $found[1] : $line)] = [
                    'type' => $found[2] ?? '',
                    'default' => ($found[3] ?? '') === '' ? null : self::plain($found[3]),
                    'environment' => null,
                    'meaning' => $found[4] ?? '',
                ];
            }
        }

        return new self($settings);
    }

    /** @return array<string, array{type: string, default: ?string, environment: ?string, meaning: string}> by key */
    public function below(string $prefix): array
    {
        $found = [];

        foreach ($this->settings as $key => $setting) {
            $name = str_starts_with($key, "{$prefix}.") ? substr($key, strlen($prefix) + 1) : '';

            if ($name !== '' && ! str_contains($name, '.')) {
                $found[$name] = $setting;
            }
        }

        return $found;
    }

    /** @return array<string, string> environment variable by key */
    public function variables(): array
    {
        return array_filter(
            array_map(static fn (array $setting): ?string => $setting['environment'], $this->settings),
            is_string(...),
        );
    }

    /** @return ?array{int, int} the numbers of "integer, 1 to 3600 seconds" */
    public static function bounds(string $type): ?array
    {
        return preg_match('/^integer, (\d+) to (\d+) [a-zA-Z]/', $type, $found) === 1
            ? [(int) $found[1], (int) $found[2]]
            : null;
    }

    /** "`67108864` (64 MiB)" without its remark and its backticks. */
    private static function plain(string $default): string
    {
        return preg_match('/^`([^`]+)`(?: \(.+\))?$/', $default, $found) === 1 ? $found[1] : $default;
    }
}
