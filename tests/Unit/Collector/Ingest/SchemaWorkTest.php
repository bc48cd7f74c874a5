<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Tests\Support\Sample;
use Opis\JsonSchema\Helper;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Schemas on data that is made to take long, or to cause long messages.
 */
final class SchemaWorkTest extends IngestTestCase
{
    private const SCHEMAS = [
        ['type' => 'object', 'additionalProperties' => false],
        ['type' => 'object', 'additionalProperties' => ['type' => 'string']],
        ['type' => 'object', 'required' => ['a']],
        ['type' => 'object', 'propertyNames' => ['pattern' => '^a']],
        ['type' => 'object', 'properties' => ['list' => ['type' => 'array', 'uniqueItems' => true]]],
        ['enum' => [1, 2]],
        ['anyOf' => [['type' => 'string'], ['type' => 'object', 'additionalProperties' => false]]],
    ];

    /** It took up to 90 CPU seconds, and an answer of 400,000 bytes for each event. */
    #[Test]
    public function no_data_costs_the_square_of_its_size_or_comes_back_whole(): void
    {
        $colliding = static fn (int $count): string
            => implode(',', array_map(static fn (int $n): string => '"'.$n * 65_536 .'":0', range(1, $count)));

        foreach (self::SCHEMAS as $schema) {
            $harness = $this->harness(new IngestSettings(isAuthenticated: false, schemas: ['t' => $schema]));

            foreach ([
                $colliding(18_000),
                $colliding(250),
                '"list":['.implode(',', range(1, 30_000)).']',
                '"'.str_repeat('x', 250_000).'":1',
                '"a":"'.str_repeat('x', 250_000).'"',
            ] as $members) {
                $event = '{"type":"t","data":{'.$members.'}}';
                $events = max(1, intdiv(500_000, strlen($event)));
                $before = self::cpuSeconds();
                $result = $harness->post('['.implode(',', array_fill(0, $events, $event)).']');

                self::assertContains($result->response->status, [202, 422]);
                self::assertLessThan(2_000 + 1_500 * $events, strlen($result->response->body));
                self::assertLessThan(5.0, self::cpuSeconds() - $before, json_encode($schema).substr($members, 0, 40));
            }
        }
    }

    #[Test]
    public function data_of_many_objects_with_the_same_names_is_checked(): void
    {
        $harness = $this->harness(new IngestSettings(
            isAuthenticated: false,
            schemas: ['t' => ['type' => 'array', 'items' => ['type' => 'object', 'required' => ['n']]]],
        ));

        self::assertSame(
            1,
            $harness->post('{"type":"t","data":['.implode(',', array_fill(0, 2_000, '{"n":1,"m":2}')).']}')->count,
        );
        self::refused(
            422,
            'schema_mismatch',
            $harness->post('{"type":"t","data":['.implode(',', array_fill(0, 2_000, '{"n":1,"m":2}')).',{"m":1}]}'),
        );
    }

    #[Test]
    public function items_are_the_same_where_json_schema_says_so(): void
    {
        $harness = $this->harness(new IngestSettings(
            isAuthenticated: false,
            schemas: ['t' => ['type' => 'array', 'uniqueItems' => true]],
        ));
        $random = new Randomizer(new Mt19937(Sample::seed()));

        for ($i = 0; $i < 500; $i++) {
            [$a, $b] = [self::value($random, 3), self::value($random, 3)];
            $isTwice = Helper::equals(json_decode($a), json_decode($b));
            $result = $harness->post("{\"type\":\"t\",\"data\":[{$a},{$b}]}");

            self::assertSame(
                $isTwice ? 422 : 202,
                $result->response->status,
                "{$a} and {$b}: {$result->response->body}",
            );
        }
    }

    private static function value(Randomizer $random, int $depth): string
    {
        return match ($random->getInt(0, $depth > 0 ? 6 : 3)) {
            0 => ['1', '1.0', '2', '1e0', '0.5', '-1', '9007199254740993', '1e999'][$random->getInt(0, 7)],
            1 => ['"1"', '""', '"a"', '"[1]"'][$random->getInt(0, 3)],
            2 => ['true', 'false', 'null'][$random->getInt(0, 2)],
            3 => ['[]', '{}'][$random->getInt(0, 1)],
            4, 5 => '['.self::value($random, $depth - 1).','.self::value($random, 0).']',
            default => $random->getInt(0, 1) === 0
                ? '{"a":'.self::value($random, 0).',"b":1}'
                : '{"b":1,"a":'.self::value($random, 0).'}',
        };
    }

    private static function cpuSeconds(): float
    {
        $usage = getrusage();
        $usage = $usage === false ? [] : array_filter($usage, is_int(...));

        return ($usage['ru_utime.tv_sec'] ?? 0) + ($usage['ru_utime.tv_usec'] ?? 0) / 1e6;
    }
}
