<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * HEADROOM_FUZZ_CASES=1000000 for more, HEADROOM_FUZZ_SEED=... for others.
 */
final class RequestFuzzTest extends TestCase
{
    #[Test]
    public function two_readers_see_the_same_in_the_table(): void
    {
        $streams = array_merge(...array_map(
            static fn (iterable $cases): array => array_column(iterator_to_array($cases, false), 0),
            [Accepted::cases(), Rejected::cases(), Smuggling::cases()],
        ));

        foreach ($this->secondly($streams) as $n => $second) {
            self::assertEquals(
                $second,
                Wire::plain(Wire::read([$streams[$n]])),
                (string) json_encode($streams[$n], JSON_INVALID_UTF8_SUBSTITUTE),
            );
        }
    }

    #[Test]
    public function two_readers_see_the_same_in_random_streams_however_they_are_cut(): void
    {
        $accepted = array_column(iterator_to_array(Accepted::cases(), false), 0);
        // Half of the streams begin well.
        $good = [
            ...$accepted, ...$accepted, ...$accepted, ...array_column(iterator_to_array(Rejected::cases(), false), 0),
        ];
        $first = Fuzz::firstSeed();

        foreach (array_chunk(range($first, $first + Fuzz::cases(Sample::number(600, 6_000)) - 1), 10_000) as $seeds) {
            $streams = [];
            $seen = [];

            foreach ($seeds as $n => $seed) {
                $fuzz = new Fuzz($seed);
                $streams[$n] = $fuzz->stream($good);
                $got = Wire::read([$streams[$n]]);
                $seen[$n] = Wire::plain($got);
                self::assertEquals(
                    $got,
                    Wire::read($streams[$n] === '' ? [] : str_split($streams[$n])),
                    'Byte by byte, '.$fuzz->shown($streams[$n]),
                );
                self::assertEquals(
                    $got,
                    Wire::read($fuzz->pieces($streams[$n])),
                    'In pieces, '.$fuzz->shown($streams[$n]),
                );
            }

            foreach ($this->secondly($streams) as $n => $second) {
                self::assertEquals(
                    $second,
                    $seen[$n],
                    'The second reader, '.(new Fuzz($seeds[$n]))->shown($streams[$n]),
                );
            }
        }
    }

    /**
     * @param array<mixed> $streams
     * @return list<mixed>
     */
    private function secondly(array $streams): array
    {
        $cases = array_map(static fn (mixed $bytes): array => ['bytes' => $bytes], array_values($streams));
        $answers = SecondReader::read($cases, Wire::limits());
        self::assertCount(count($streams), $answers);

        return $answers;
    }
}
