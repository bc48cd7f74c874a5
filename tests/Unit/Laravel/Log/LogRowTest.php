<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Laravel\Log;

use Closure;
use DateTimeImmutable;
use DateTimeZone;
use Error;
use Headroom\Core\Json;
use Headroom\Laravel\Log\LogRow;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\RefusalOutcome;
use Headroom\Spool\Utf8;
use JsonSerializable;
use LogicException;
use Monolog\Level;
use Monolog\LogRecord;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use stdClass;
use Stringable;

final class LogRowTest extends TestCase
{
    #[Test]
    public function a_record_is_a_row_with_the_columns_of_an_event(): void
    {
        $time = new DateTimeImmutable('2026-03-01T10:11:12.345678', new DateTimeZone('Europe/Amsterdam'));
        $row = $this->written(new LogRecord(
            $time,
            'shop',
            Level::Warning,
            'Paid {amount}',
            ['amount' => 12.5, 'list' => [1, 2]],
            ['ip' => '10.0.0.1'],
        ));

        self::assertIsString($row['id']);
        self::assertMatchesRegularExpression(
            '/\A[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\z/',
            $row['id'],
        );
        self::assertSame($time->format('Uv'), (string) hexdec(str_replace('-', '', substr($row['id'], 0, 13))));
        self::assertInstanceOf(DateTimeImmutable::class, $row['time']);
        self::assertSame('2026-03-01T09:11:12.345678+00:00', $row['time']->format('Y-m-d\TH:i:s.uP'));
        unset($row['id'], $row['time']);
        self::assertEquals([
            'source' => 'shop/web-1', 'type' => 'log', 'level' => 300, 'level_name' => 'WARNING', 'channel' => 'shop',
            'message' => 'Paid {amount}',
            'context' => new Json('{"amount":12.5,"list":[1,2]}'), 'extra' => new Json('{"ip":"10.0.0.1"}'),
        ], $row);
    }

    #[Test]
    public function ids_of_a_thousand_lines_of_one_moment_are_different(): void
    {
        $rows = new LogRow('a');
        $record = self::record([]);
        $ids = array_map(static fn (): mixed => $rows->of($record)['id'], range(1, 1_000));

        self::assertCount(
            1_000,
            array_unique(array_map(static fn (mixed $id): string => is_string($id) ? $id : '', $ids)),
        );
    }

    /** @param Closure(): mixed $value */
    #[Test]
    #[DataProvider('values')]
    public function any_value_that_is_logged_has_its_place_in_the_context(Closure $value, string $expected): void
    {
        self::assertStringMatchesFormat('{"it":'.$expected.'}', self::context(['it' => $value()]));
    }

    /** @return iterable<string, array{Closure(): mixed, string}> */
    public static function values(): iterable
    {
        yield 'a closure' => [static fn (): Closure => static fn () => null, '"[Closure]"'];
        yield 'a resource' => [static fn (): mixed => fopen('php://memory', 'r'), '"[resource (stream)]"'];
        yield 'a closed resource' => [self::closed(...), '"[resource (closed)]"'];
        yield 'no number' => [static fn (): array => [NAN, INF, -INF], '["NAN","INF","-INF"]'];
        yield 'broken UTF-8' => [static fn (): array => ["caf\xE9" => "\xFF\xFE"], '{"caf\ufffd":"\ufffd\ufffd"}'];
        yield 'an empty name' => [static fn (): array => ['' => 1, '_' => 2], '{"_":1,"__":2}'];
        yield 'a name with a NUL in front' => [
            static fn (): array => ["\0*\0secret" => 1], '{"\\\\x00*\\\\x00secret":1}',
        ];
        yield 'names that become one' => [
            static fn (): array => ["a\xFF" => 1, "a\xFE" => 2], '{"a\ufffd":1,"a\ufffd_":2}',
        ];
        yield 'a date' => [
            static fn (): DateTimeImmutable => new DateTimeImmutable('2026-01-02T03:04:05.6+01:00'),
            '"2026-01-02T03:04:05.600000+01:00"',
        ];
        yield 'enums' => [
            static fn (): array => [Utf8::Replace, Level::Error, RefusalOutcome::Dropped], '["replace",400,"dropped"]',
        ];
        yield 'an object without anything to show' => [
            static fn (): Codec => new Codec, '"[Headroom\\\\Spool\\\\Encoding\\\\Codec]"',
        ];
        yield 'properties' => [static fn (): stdClass => (object) ['a' => (object) []], '{"a":[]}'];
        yield 'itself' => [self::itself(...), '{"me":"[stdClass, %s]"}'];
        yield 'an array that holds itself' => [self::ring(...), '[[[[[[["[array %s 1, %s]"]]]]]]]'];
        yield 'a string object' => [static fn (): Stringable => self::stringable(), '"as text"'];
        yield 'JsonSerializable that throws' => [
            self::throwing(...), '"[JsonSerializable@anonymous, %s LogicException: no]"',
        ];
        yield 'JsonSerializable that gives itself' => [self::selfish(...), '"[JsonSerializable@anonymous, %s]"'];
    }

    #[Test]
    public function an_exception_is_told_without_the_arguments_of_its_calls(): void
    {
        $e = self::fail_with('hunter2');
        /**
         * @var array{
         *     exception: array{
         *         class: string,
         *         message: string,
         *         code: int,
         *         file: string,
         *         line: int,
         *         trace: list<string>,
         *         previous: array{class: string, message: string},
         *     },
         * } $context
         */
        $context = json_decode(self::context(['exception' => $e]), true, flags: JSON_THROW_ON_ERROR);
        $told = $context['exception'];

        self::assertSame(
            [RuntimeException::class, 'It failed', 7, __FILE__, $e->getLine()],
            [$told['class'], $told['message'], $told['code'], $told['file'], $told['line']],
        );
        self::assertSame([Error::class, 'The cause'], [$told['previous']['class'], $told['previous']['message']]);
        self::assertStringContainsString('LogRowTest::fail_with()', $told['trace'][0]);
        self::assertStringNotContainsString('hunter2', self::context(['exception' => $e]));
        self::assertLessThanOrEqual(51, count($told['trace']));
    }

    #[Test]
    public function a_trace_and_a_chain_of_causes_are_cut_and_say_so(): void
    {
        $deep = self::descend(200);
        $chain = null;

        foreach (range(1, 100) as $number) {
            $chain = new RuntimeException("cause {$number}", 0, $chain);
        }

        self::assertMatchesRegularExpression('/"\[[^]"]*\b\d{3}\b[^]"]*\]"\]/', self::context(['e' => $deep]));
        self::assertMatchesRegularExpression('/"\[RuntimeException, [^]"]+\]"/', self::context(['e' => $chain]));
    }

    #[Test]
    public function a_cut_is_marked_where_it_was_made(): void
    {
        $row = $this->written(self::record(
            ['blob' => str_repeat('x', 10_485_760), 'many' => range(1, 5_000), 'after' => 'still there'],
            str_repeat('é', 1_000_000),
        ));
        self::assertInstanceOf(Json::class, $row['context']);

        self::assertIsString($row['message']);
        self::assertMatchesRegularExpression('/é\[[^]]*\b2000000\b[^]]*\]\z/', $row['message']);
        self::assertLessThanOrEqual(65_535, strlen($row['message']));
        self::assertMatchesRegularExpression('/x\[[^]"]*\b10485760\b[^]"]*\]"/', $row['context']->text);
        self::assertMatchesRegularExpression('/"\[[^]"]*\b4000\b[^]"]*\b5000\b[^]"]*\]"/', $row['context']->text);
        self::assertStringContainsString('"after":"still there"', $row['context']->text);
    }

    /** @param Closure(): array<string, mixed> $context */
    #[Test]
    #[DataProvider('hostile')]
    public function a_record_of_any_size_is_an_event(Closure $context): void
    {
        $row = (new LogRow('a'))->short(self::record($context(), str_repeat("\x01", 200_000), $context()));

        self::assertLessThanOrEqual(Codec::MAX_EVENT_BYTES, strlen((new Codec)->encode($row)));
        self::assertLessThanOrEqual(Codec::MAX_EVENT_BYTES, strlen((new Codec(Utf8::Refuse))->encode($row)));
    }

    /** @return iterable<string, array{Closure(): array<string, mixed>}> */
    public static function hostile(): iterable
    {
        yield 'control characters' => [static fn (): array => array_fill_keys(
            array_map(static fn (int $i): string => "k{$i}", range(1, 500)),
            str_repeat("\x01", 20_000),
        )];
        yield 'control characters as names' => [static fn (): array => array_fill_keys(
            array_map(static fn (int $i): string => str_repeat("\x01", 150).$i, range(1, 1_000)),
            1,
        )];
        yield 'broken bytes' => [static fn (): array => array_fill_keys(
            array_map(static fn (int $i): string => "k{$i}", range(1, 500)),
            str_repeat("\xFF", 20_000),
        )];
        yield 'quotes' => [static fn (): array => array_fill_keys(
            array_map(static fn (int $i): string => "k{$i}", range(1, 500)),
            str_repeat('"', 20_000),
        )];
        yield 'wide and deep' => [
            static fn (): array => ['a' => array_fill(0, 900, array_fill(0, 900, array_fill(0, 900, true)))],
        ];
        yield 'empty' => [static fn (): array => ['a' => array_fill(0, 900, array_fill(0, 900, []))]];
    }

    private static function fail_with(string $password): RuntimeException
    {
        return new RuntimeException('It failed', 7, new Error('The cause'));
    }

    private static function descend(int $levels): RuntimeException
    {
        return $levels === 0 ? new RuntimeException('deep') : self::descend($levels - 1);
    }

    private static function closed(): mixed
    {
        $file = fopen('php://memory', 'r');
        is_resource($file) && fclose($file);

        return $file;
    }

    private static function itself(): stdClass
    {
        $object = new stdClass;
        $object->me = $object;

        return $object;
    }

    /** @return array<mixed> */
    private static function ring(): array
    {
        $ring = [];
        $ring[0] = &$ring;

        return $ring;
    }

    private static function stringable(): Stringable
    {
        return new class implements Stringable
        {
            public function __toString(): string
            {
                return 'as text';
            }
        };
    }

    private static function throwing(): JsonSerializable
    {
        return new class implements JsonSerializable
        {
            public function jsonSerialize(): never
            {
                throw new LogicException('no');
            }
        };
    }

    private static function selfish(): JsonSerializable
    {
        return new class implements JsonSerializable
        {
            public function jsonSerialize(): self
            {
                return $this;
            }
        };
    }

    /** @param array<string, mixed> $context */
    private static function context(array $context): string
    {
        $line = (new LogRow('a'))->of(self::record($context));
        [$row] = (new Codec)->decode((new Codec)->encode($line));

        return $row['context'] instanceof Json ? $row['context']->text : '';
    }

    /**
     * @param array<string, mixed> $context
     * @param array<string, mixed> $extra
     */
    private static function record(array $context, string $message = 'Hello', array $extra = []): LogRecord
    {
        return new LogRecord(
            new DateTimeImmutable('2026-03-01T10:11:12.345678Z'),
            'shop',
            Level::Info,
            $message,
            $context,
            $extra,
        );
    }

    /** @return array<string, mixed> as it comes out of the log again */
    private function written(LogRecord $record): array
    {
        return (new Codec)->decode((new Codec)->encode((new LogRow('shop/web-1'))->of($record)))[0];
    }
}
