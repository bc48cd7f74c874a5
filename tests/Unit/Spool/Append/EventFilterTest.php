<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Append;

use Headroom\Spool\Append\EventFilter;
use Headroom\Spool\Append\Redaction;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Utf8;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\Sentence;
use JsonSerializable;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use stdClass;
use Stringable;

final class EventFilterTest extends TestCase
{
    #[Test]
    #[TestWith([0, 0, 0])]
    #[TestWith([1, 10_000, 10_000])]
    #[TestWith(['1.0', 10_000, 10_000])]
    // A sum of 10,000 draws is ten deviations off less than once in 10^22 runs.
    #[TestWith([0.5, 4_500, 5_500])]
    #[TestWith(['0.1', 700, 1_300])]
    public function a_sample_is_the_share_of_events_that_is_kept(float|int|string $rate, int $least, int $most): void
    {
        $intake = EventFilter::of('spool.buckets.a', $rate, null, Utf8::Replace);
        $kept = 0;

        for ($i = 0; $i < 10_000; $i++) {
            $kept += $intake->apply(['n' => $i], 'a') === null ? 0 : 1;
        }

        self::assertGreaterThanOrEqual($least, $kept);
        self::assertLessThanOrEqual($most, $kept);
    }

    #[Test]
    public function an_application_that_seeds_its_random_numbers_gets_a_sample_all_the_same(): void
    {
        $intake = EventFilter::of('spool.buckets.a', 0.5, null, Utf8::Replace);
        $kept = [];

        for ($i = 0; $i < 200; $i++) {
            mt_srand(7);
            $kept[] = $intake->apply(['n' => $i], 'a') !== null;
        }

        mt_srand();
        self::assertCount(2, array_unique($kept));
    }

    /** @return iterable<string, array{list<mixed>, array<string, mixed>, array<string, mixed>}> */
    public static function secrets(): iterable
    {
        $r = Redaction::REPLACEMENT;
        $object = static fn (mixed $plain): JsonSerializable => new class($plain) implements JsonSerializable
        {
            public function __construct(private readonly mixed $plain) {}

            public function jsonSerialize(): mixed
            {
                return $this->plain;
            }
        };
        $text = static fn (string $text): Stringable => new class($text) implements Stringable
        {
            public function __construct(private readonly string $text) {}

            public function __toString(): string
            {
                return $this->text;
            }
        };

        yield 'a column' => [['password'], ['a' => 1, 'password' => 'x'], ['a' => 1, 'password' => $r]];
        yield 'whatever its type' => [['password'], ['password' => ['x' => 1]], ['password' => $r]];
        yield 'whatever its case' => [
            ['Password'],
            ['PASSWORD' => 'x', 'passWord' => 'y'],
            ['PASSWORD' => $r, 'passWord' => $r],
        ];
        yield 'what is null stays' => [['password'], ['password' => null], ['password' => null]];
        yield 'a name at every depth' => [
            ['password'],
            ['a' => ['b' => [['password' => 'x', 'c' => 1.5]]]],
            ['a' => ['b' => [['password' => $r, 'c' => 1.5]]]],
        ];
        yield 'a path' => [
            ['card.number'],
            ['card' => ['number' => 'x', 'year' => 27], 'number' => 5],
            ['card' => ['number' => $r, 'year' => 27], 'number' => 5],
        ];
        yield 'a path of a list' => [
            ['cards.*.number'],
            ['cards' => [['number' => 'x'], ['number' => 'y', 'b' => []]]],
            ['cards' => [['number' => $r], ['number' => $r, 'b' => []]]],
        ];
        yield 'a path that begins anywhere' => [
            ['*.token'],
            ['a' => ['token' => 'x'], 'token' => 'y'],
            ['a' => ['token' => $r], 'token' => 'y'],
        ];
        yield 'a path is from the top' => [
            ['card.number'],
            ['a' => ['card' => ['number' => 5]]],
            ['a' => ['card' => ['number' => 5]]],
        ];
        yield 'an object' => [
            ['password'],
            ['a' => $object(['password' => 'x', 'b' => $object((object) ['password' => 'y'])])],
            ['a' => ['password' => $r, 'b' => ['password' => $r]]],
        ];
        yield 'JSON text, as an array cast has it' => [
            ['card.number'],
            ['card' => '{"number":"x","big":12345678901234567890,"f":1.0}'],
            ['card' => '{"number":"[redacted]","big":"12345678901234567890","f":1.0}'],
        ];
        yield 'JSON text with broken bytes' => [
            ['password'],
            ['a' => "{\"password\":\"x\xff\"}"],
            ['a' => '{"password":"[redacted]"}'],
        ];
        yield 'JSON text in JSON text' => [
            ['password'],
            ['a' => ['b' => ' {"password":"x"}']],
            ['a' => ['b' => '{"password":"[redacted]"}']],
        ];
        yield 'a text object' => [
            ['password'],
            ['a' => $text('{"password":"x"}')],
            ['a' => '{"password":"[redacted]"}'],
        ];
        yield 'JSON text in quotes' => [
            ['password'],
            ['a' => '"{\\"password\\":\\"x\\"}"'],
            ['a' => '"{\\"password\\":\\"[redacted]\\"}"'],
        ];
        yield 'JSON text with a key twice' => [
            ['password'],
            ['a' => '{"u":{"password":"x"},"u":"a:{b"}'],
            ['a' => '{"u":"a:{b"}'],
        ];
        yield 'JSON text without one' => [
            ['password'],
            ['a' => '{ "b": 1.50 }', 'c' => '[not JSON'],
            ['a' => '{ "b": 1.50 }', 'c' => '[not JSON'],
        ];
        yield 'a class' => [[Redactor::class], ['a' => 'x'], ['a' => 'X of bucket']];
        yield 'a method' => [[[Redactor::class, 'lower']], ['a' => 'X'], ['a' => 'x']];
        yield 'a static method, behind keys' => [
            ['a', Redactor::class.'::upper'],
            ['a' => 'x', 'b' => 'y'],
            ['a' => '[REDACTED]', 'b' => 'Y'],
        ];
    }

    /**
     * @param list<mixed> $redact
     * @param array<string, mixed> $row
     * @param array<string, mixed> $expected
     */
    #[Test]
    #[DataProvider('secrets')]
    public function a_named_key_is_redacted_wherever_it_is(array $redact, array $row, array $expected): void
    {
        $taken = EventFilter::of('spool.buckets.a', null, $redact, Utf8::Replace)->apply($row, 'bucket');

        self::assertSame(
            json_encode($expected, JSON_PRESERVE_ZERO_FRACTION),
            json_encode($taken, JSON_PRESERVE_ZERO_FRACTION),
        );
    }

    #[Test]
    public function an_object_stays_one_where_its_keys_are_numbers(): void
    {
        $value = new class implements JsonSerializable
        {
            public function jsonSerialize(): stdClass
            {
                return (object) ['0' => ['password' => 'x'], '1' => 2];
            }
        };

        self::assertSame(
            '{"a":{"0":{"password":"[redacted]"},"1":2}}',
            json_encode(EventFilter::of('a', null, ['password'], Utf8::Replace)->apply(['a' => $value], 'b')),
        );
    }

    #[Test]
    #[TestWith([[Redactor::class, 'fail'], Redactor::class.'::fail', 'RuntimeException', 'Redactor.php:'])]
    #[TestWith([[Redactor::class, 'nothing'], Redactor::class.'::nothing', 'null'])]
    public function a_redactor_that_fails_refuses_the_event_and_its_words_are_not_told(
        mixed $redactor,
        string $name,
        string ...$names,
    ): void {
        try {
            EventFilter::of('a', null, [$redactor], Utf8::Replace)->apply(['password' => 'secret-471108'], 'b');
            self::fail('It was taken.');
        } catch (InvalidEvent $e) {
            Sentence::naming(array_values($names), InvalidEvent::notRedacted($name, Sentence::ANY), $e);
            self::assertStringNotContainsString('471108', $e->getMessage());
            self::assertNull($e->getPrevious());
        }
    }

    #[Test]
    public function text_that_is_too_deep_to_be_looked_through_is_refused(): void
    {
        $take = static fn () => EventFilter::of('a', null, ['password'], Utf8::Replace)
            ->apply(['a' => str_repeat('[', 600).str_repeat(']', 600)], 'b');

        Sentence::naming(['JSON'], InvalidEvent::notRedacted('a', Sentence::ANY), self::refusal($take));
    }

    /** @param array<string, mixed> $row */
    #[Test]
    #[TestWith([['a' => ["\0" => 1, 'password' => 'x']]])]
    #[TestWith([['a' => '{"\u0000":1,"password":"x"}']])]
    public function a_key_that_keeps_the_rest_from_being_looked_through_refuses_the_event(array $row): void
    {
        $take = static fn () => EventFilter::of('a', null, ['password'], Utf8::Replace)->apply($row, 'b');

        Sentence::naming(['NUL'], InvalidEvent::notRedacted('a', Sentence::ANY), self::refusal($take));
    }

    /** @param callable(): mixed $take */
    private static function refusal(callable $take): InvalidEvent
    {
        try {
            $take();
        } catch (InvalidEvent $e) {
            return $e;
        }

        self::fail('It was taken.');
    }

    /** @return iterable<string, array{array<string, mixed>, InvalidConfig}> */
    public static function mistakes(): iterable
    {
        $wrong = static fn (string $key, mixed $seen): InvalidConfig
            => InvalidConfig::notAllowed("spool.buckets.a.{$key}", $seen, Sentence::ANY);
        $closure = static fn (array $row): array => $row;

        yield 'percent' => [['sample' => 10], $wrong('sample', 10)];
        yield 'negative' => [['sample' => -0.1], $wrong('sample', -0.1)];
        yield 'not a number' => [['sample' => NAN], $wrong('sample', NAN)];
        yield 'a word' => [['sample' => 'half'], $wrong('sample', 'half')];
        yield 'no list' => [['redact' => 'password'], $wrong('redact', 'password')];
        yield 'a map' => [['redact' => ['password' => true]], $wrong('redact', [])];
        yield 'an empty key' => [['redact' => ['a', 'card..number']], $wrong('redact.1', 'card..number')];
        yield 'no class' => [['redact' => ['App\Gone']], $wrong('redact.0', 'App\Gone')];
        yield 'no such method' => [['redact' => [[Redactor::class, 'gone']]], $wrong('redact.0', [])];
        yield 'a closure' => [['redact' => [$closure]], $wrong('redact.0', $closure)];
    }

    /** @param array<string, mixed> $options */
    #[Test]
    #[DataProvider('mistakes')]
    public function a_mistake_is_named_to_commands_and_to_requests_alike(array $options, InvalidConfig $expected): void
    {
        $config = SpoolConfig::fromArray([
            'path' => '/b',
            'buckets' => ['a' => ['sink' => 'file', 'path' => '/f', ...$options]],
        ]);

        foreach ([
            fn () => $config->settings()->filter('a'),
            fn () => $config->bucket('a'),
            fn () => $config->bucket('a'),
        ] as $read) {
            try {
                $read();
                self::fail('It was taken.');
            } catch (InvalidConfig $e) {
                Sentence::in($expected, $e);
            }
        }
    }

    #[Test]
    public function a_bucket_without_sample_and_redact_has_no_intake(): void
    {
        $config = SpoolConfig::fromArray([
            'path' => '/b',
            'buckets' => [
                'a' => ['sink' => 'file', 'path' => '/f'],
                'b' => ['sink' => 'file', 'path' => '/f', 'sample' => 0.5, 'redact' => ['c']],
            ],
        ]);

        self::assertNull($config->settings()->filter('a'));
        self::assertNull($config->settings()->filter('undeclared'));
        self::assertNotNull($config->settings()->filter('b'));
        self::assertSame(['path'], $config->bucket('b')?->options->keys());
    }
}
