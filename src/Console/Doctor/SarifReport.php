<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;

use function array_map;
use function array_values;
use function implode;
use function json_encode;
use function preg_match;

/**
 * Formats findings as SARIF 2.1.0, which code hosts show next to the lines concerned:
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 *
 * @internal
 */
final readonly class SarifReport
{
    private const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

    public function __construct(private Report $diagnosis) {}

    public function text(): string
    {
        $rules = [];

        foreach ($this->diagnosis->problems() as $verdict) {
            $rules[$verdict->check->id] ??= self::rule($verdict->check);
        }

        return json_encode(
            [
                '$schema' => self::SCHEMA,
                'version' => '2.1.0',
                'runs' => [[
                    'tool' => ['driver' => ['name' => 'headroom doctor', 'rules' => array_values($rules)]],
                    'results' => array_map($this->result(...), $this->diagnosis->problems()),
                ]],
            ],
            JSON_THROW_ON_ERROR
                | JSON_PRETTY_PRINT
                | JSON_UNESCAPED_SLASHES
                | JSON_UNESCAPED_UNICODE
                | JSON_INVALID_UTF8_SUBSTITUTE,
        )
            ."\n";
    }

    /** @return array<string, mixed> */
    private static function rule(CheckText $rule): array
    {
        return [
            'id' => $rule->id,
            'shortDescription' => ['text' => "{$rule->title}."],
            'fullDescription' => ['text' => $rule->body],
            'helpUri' => $rule->sources[0] ?? '',
            'defaultConfiguration' => ['level' => self::level($rule->severity)],
            'properties' => ['tags' => [$rule->layer->value]],
        ];
    }

    /** @return array<string, mixed> */
    private function result(CheckResult $verdict): array
    {
        $finding = $verdict->finding;
        $locations = array_values(array_filter(
            array_map(self::location(...), $finding->evidence),
            static fn (?array $location): bool => $location !== null,
        ));

        return [
            'ruleId' => $verdict->check->id,
            'level' => self::level($verdict->check->severity),
            'message' => ['text' => implode(
                ' ',
                array_filter(
                    [$finding->message, $finding->consequence, $finding->fix?->text],
                    static fn (?string $text): bool => $text !== null && $text !== '',
                ),
            )],
            // The numbers in a finding change from run to run; its subject does not.
            'partialFingerprints' => ['headroom/v1' => $verdict->key()],
        ] + ($locations === [] ? [] : ['locations' => $locations]);
    }

    /** @return ?array<string, mixed> */
    private static function location(Evidence $evidence): ?array
    {
        return preg_match(
            '~\A(/[^\0]*|(?:config|app|routes|bootstrap|database|vendor)/\S+):([1-9]\d{0,8})\z~',
            $evidence->source,
            $m,
        ) === 1
            ? ['physicalLocation' => [
                'artifactLocation' => [
                    'uri' => ($m[1][0] === '/' ? 'file://' : '')
                        .implode('/', array_map(rawurlencode(...), explode('/', $m[1]))),
                ],
                'region' => ['startLine' => (int) $m[2]],
            ]]
            : null;
    }

    private static function level(Severity $severity): string
    {
        return match ($severity) {
            Severity::Critical, Severity::High => 'error',
            Severity::Medium => 'warning',
            Severity::Low, Severity::Info => 'note',
        };
    }
}
