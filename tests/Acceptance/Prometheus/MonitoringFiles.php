<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Prometheus;

use RuntimeException;

/**
 * The files of resources/monitoring, as a test reads them.
 */
final readonly class MonitoringFiles
{
    public const DIRECTORY = __DIR__.'/../../../resources/monitoring';

    public const RULES = self::DIRECTORY.'/prometheus-rules.yml';

    public const RULE_TESTS = self::DIRECTORY.'/prometheus-rules.test.yml';

    /** What Grafana would put in place of its variables, with all machines and buckets chosen. */
    private const VARIABLES = ['$__rate_interval' => '10s', '$instance' => '.*', '$bucket' => '.*', '[5m]' => '[10s]'];

    /** @return array<string, mixed> */
    public static function dashboard(): array
    {
        $text = (string) file_get_contents(self::DIRECTORY.'/grafana-dashboard.json');
        $dashboard = json_decode($text, true, 32, JSON_THROW_ON_ERROR);
        is_array($dashboard) || throw new RuntimeException('The dashboard is no object.');

        /** @var array<string, mixed> $dashboard */
        return $dashboard;
    }

    /** @return list<array<string, mixed>> */
    public static function panels(): array
    {
        $panels = self::dashboard()['panels'];
        is_array($panels) || throw new RuntimeException('The dashboard has no panels.');

        /** @var list<array<string, mixed>> $panels */
        return $panels;
    }

    /** @return array<string, string> expressions by title, number and letter of the query, such as "Waiting (1) A" */
    public static function expressions(): array
    {
        $expressions = [];

        foreach (self::panels() as $panel) {
            /** @var list<array{refId: string, expr: string}> $targets */
            $targets = $panel['targets'];
            $id = is_int($panel['id']) ? $panel['id'] : 0;
            $title = is_string($panel['title']) ? "{$panel['title']} ({$id})" : '';

            foreach ($targets as $target) {
                $expressions["{$title} {$target['refId']}"] = strtr($target['expr'], self::VARIABLES);
            }
        }

        return $expressions;
    }

    /** The rules, with minutes for which a test does not have to wait. */
    public static function impatientRules(): string
    {
        return (string) preg_replace(
            ['/\[5m\]/', '/\[10m\]/', '/offset 10m/', '/\[1h\]/', '/4 \* 3600/', '/> 300/', '/for: \d+m/'],
            ['[5s]', '[4s]', 'offset 4s', '[5s]', '5', '> 2', 'for: 2s'],
            (string) file_get_contents(self::RULES),
        );
    }
}
