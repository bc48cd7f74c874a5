<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Log\Envelope;

use Headroom\Host\Log\Envelope\Envelope;
use Headroom\Host\Log\LogLines;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('logs')]
final class EnvelopeTest extends TestCase
{
    private const NGINX = '2026/03/02 10:15:01 [error] 1#1: x';

    private const FPM = '[02-Mar-2026 10:15:01] NOTICE: ready to handle connections';

    #[Test]
    public function pieces_of_a_line_are_joined_by_their_source(): void
    {
        $lines = [
            '2026-03-02T10:15:05.1Z stderr P [02-Mar-2026 10:15:01] NOT', '2026-03-02T10:15:05.2Z stdout P '
                .'2026/03/02 10:15:01 [err',
            '2026-03-02T10:15:05.3Z stderr P ICE: ready to ha', '2026-03-02T10:15:05.4Z stdout F or] 1#1: x',
            '2026-03-02T10:15:05.5Z stderr F ndle connections', '2026-03-02T10:15:06.5Z stderr P [02-Mar',
        ];

        self::assertSame([
            ['stdout', self::NGINX], ['stderr', self::FPM], ['stderr', '[02-Mar'],
        ], self::taken($lines), 'The last one never got its end.');
    }

    /** @return iterable<string, array{string}> what each line has in front */
    public static function foreign(): iterable
    {
        yield 'kail' => ['prod/shop-7d9f8b-abcde[php]: '];
        yield 'pm2' => ['0|php  | '];
        yield 's6-log' => ['2026-03-02 10:15:05.123456789  '];
        yield 'tai64n' => ['@400000005f1a2b3c12345678 '];
        yield 'a region and a level' => ['2026-03-02T10:15:05.123 app[148e21a] ams [info] '];
        yield 'labels' => ['2026-03-02T10:15:05Z {app="php"} '];
        yield 'columns' => ["7711561783320576\t2026-03-02T10:15:05\tweb1\t10.0.0.3\tDaemon\tphp-fpm\t"];
        yield 'three names' => ['prod shop-7d9f8b-abcde php '];
    }

    #[Test]
    #[DataProvider('foreign')]
    public function before_a_line_that_tells_what_wrote_it_anything_may_stand(string $prefix): void
    {
        $texts = [self::NGINX, self::FPM, 'PHP message: PHP Warning:  x in /a.php on line 3', self::NGINX];
        $lines = array_map(static fn (string $text): string => "{$prefix}{$text}", $texts);

        self::assertSame($texts, array_column(self::taken($lines), 1));
    }

    #[Test]
    public function of_a_line_in_endless_pieces_the_beginning_is_kept(): void
    {
        $lines = (static function (): iterable {
            for ($i = 0; $i < 2_000; $i++) {
                yield '2026-03-02T10:15:05.1Z stderr P '.str_repeat('x', 1_000);
            }
        })();
        $envelope = Envelope::of(['2026-03-02T10:15:05.1Z stderr F '.self::FPM]);
        $taken = [];

        foreach ($envelope->lines($lines) as $line) {
            $taken[] = strlen($line->text);
        }

        self::assertCount(1, $taken);
        self::assertLessThan(70_000, $taken[0]);
    }

    #[Test]
    public function pieces_of_endless_sources_are_not_all_kept(): void
    {
        $lines = (static function (): iterable {
            for ($i = 0; $i < 5_000; $i++) {
                yield '{"log":"'.str_repeat('x', 1_000)."\",\"stream\":\"s{$i}\",\"time\":\"2026-03-02T10:15:05Z\"}";
            }
        })();
        $envelope = Envelope::of(['{"log":"[02-Mar-2026 10:15:01] NOTICE: x\n","stream":"stderr"}']);
        gc_collect_cycles();
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $count = 0;

        foreach ($envelope->lines($lines) as $line) {
            $count++;
        }

        self::assertSame(5_000, $count);
        self::assertLessThan(1_000_000, memory_get_peak_usage() - $before);
    }

    #[Test]
    public function further_lines_of_a_message_of_the_journal_have_its_source(): void
    {
        $prefix = 'Mar 02 10:15:05 web1 nginx[812]: ';
        $lines = [
            '-- Boot 0123456789abcdef --',
            $prefix.self::NGINX,
            str_repeat(' ', strlen($prefix)).'  thrown in /a.php',
            '     no further line',
            'Mar 02 10:15:05 web1 php-fpm8.2[7]: '.self::FPM, $prefix.self::NGINX,
        ];

        self::assertSame([
            ['', '-- Boot 0123456789abcdef --'], ['web1 nginx[812]', self::NGINX], [
                'web1 nginx[812]',
                '  thrown in /a.php',
            ],
            ['', '     no further line'], ['web1 php-fpm8.2[7]', self::FPM], ['web1 nginx[812]', self::NGINX],
        ], self::taken($lines));
    }

    #[Test]
    public function what_has_several_lines_in_json_is_several_lines(): void
    {
        $line = json_encode(
            ['MESSAGE' => self::NGINX."\nsecond\n\nlast", '_PID' => '3', '__REALTIME_TIMESTAMP' => '1772446505178123'],
            JSON_THROW_ON_ERROR,
        );

        self::assertSame([['3', self::NGINX], ['3', 'second'], ['3', ''], ['3', 'last']], self::taken([$line]));
    }

    /** @return iterable<string, array{string, string}> */
    public static function times(): iterable
    {
        yield 'this year' => ['Jan 09 10:15:05 web1 php[3]: ', '2026-01-09 10:15:05'];
        yield 'the year before' => ['Dec 31 23:59:59 web1 php[3]: ', '2025-12-31 23:59:59'];
        yield 'a clock that is ahead by a zone' => ['Jan 11 08:00:00 web1 php[3]: ', '2026-01-11 08:00:00'];
        yield 'microseconds in JSON' => [
            '{"__REALTIME_TIMESTAMP":"1772446505178123","MESSAGE":"%s"}',
            '2026-03-02 10:15:05',
        ];
        yield 'nanoseconds in JSON' => ['{"ts":"1772446505178123456","MESSAGE":"%s"}', '2026-03-02 10:15:05'];
        yield 'milliseconds in JSON' => ['{"timestamp":1772446505178,"message":"%s"}', '2026-03-02 10:15:05'];
        yield 'seconds in JSON' => ['{"ts":1772446505.178,"line":"%s"}', '2026-03-02 10:15:05'];
    }

    #[Test]
    #[DataProvider('times')]
    public function times_are_those_of_the_wall(string $prefix, string $time): void
    {
        $clock = new ManualClock;
        $clock->sleep(1_768_046_400 * 1_000_000);
        $text = str_contains($prefix, '%s') ? sprintf($prefix, 'PHP Warning:  x') : "{$prefix}PHP Warning:  x";
        $found = [...LogLines::of(["{$text}\n"], $clock)->unwrapped()];

        self::assertEquals(['PHP Warning:  x', $time], [$found[0]->text, $found[0]->time], 'Read on 2026-01-10.');
    }

    /** @return iterable<string, array{list<string>}> */
    public static function others(): iterable
    {
        yield 'nothing' => [[]];
        yield 'empty lines' => [['', ' ']];
        yield 'native' => [[self::NGINX, self::FPM]];
        yield 'native with lines of output that have a prefix' => [[
            self::FPM,
            self::FPM,
            self::FPM,
            'web-1 | a',
            'web-1 | b',
        ]];
        yield 'native with output between, all with a label' => [[
            'NOTICE: PHP message: PHP Warning:  x', 'NOTICE: PHP message: PHP Warning:  y',
            'worker: a', 'worker: b', 'worker: c',
        ]];
        yield 'prose' => [['the quick brown fox', 'jumps over the lazy dog']];
        yield 'an access log of another shape' => [['203.0.113.9 - bob smith [14/Mar/2026:09:41:07 +0100] "GET / '
            .'HTTP/1.1" 200 5']];
    }

    /** @param list<string> $lines */
    #[Test]
    #[DataProvider('others')]
    public function what_was_handed_on_by_nothing_stays(array $lines): void
    {
        self::assertTrue(Envelope::of($lines)->isNone());
    }

    #[Test]
    public function a_mark_of_the_byte_order_is_no_part_of_the_first_line(): void
    {
        self::assertSame([self::FPM, 'x'], [...LogLines::of(["\xEF\xBB\xBF".self::FPM."\nx"])->raw()]);
    }

    /**
     * @param list<string> $lines
     * @return list<array{string, string}> source and text
     */
    private static function taken(array $lines): array
    {
        $taken = [];

        foreach (LogLines::of([implode("\n", $lines)."\n"])->unwrapped() as $line) {
            $taken[] = [$line->source, $line->text];
        }

        return $taken;
    }
}
