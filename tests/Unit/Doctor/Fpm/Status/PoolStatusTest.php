<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Fpm\Status;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Status\PoolProcess;
use Headroom\Doctor\Fpm\Status\PoolStatus;
use Headroom\Doctor\Fpm\Status\ProcessState;
use Headroom\Doctor\Fpm\Status\UnreadableStatus;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PoolStatusTest extends TestCase
{
    // PHP 8.2.36, ?json&full.
    private const FULL = '{"pool":"api","process manager":"static","start time":1795352800,"start since":439,"accepted'
        .' conn":12,"listen queue":3,"max listen queue":5,"listen queue len":4096,"idle processes":1,"active'
        .' processes":2,"total processes":3,"max active processes":105,"max children reached":1,"slow requests":7,'
        .' "processes":[{"pid":17486,"state":"Running","start time":1795352800,"start since":439,"requests":6,"request'
        .' duration":300166,"request method":"GET","request uri":"\/s.php?token=\"b\"&c=","content'
        .' length":0,"user":"-","script":"\/srv\/s.php","last request cpu":0.00,"last request'
        .' memory":0},{"pid":17487,"state":"Reading headers","start time":1795352800,"start'
        .' since":430,"requests":6,"request duration":134,"request method":"POST","request'
        .' uri":"\/status?json&full","content length":0,"user":"-","script":"-","last request cpu":12.34,"last request'
        .' memory":2097152}]}';

    #[Test]
    public function the_page_of_php_8_2_is_read_field_by_field(): void
    {
        $status = PoolStatus::fromPage(self::FULL, 'here');

        self::assertSame(
            ['here', 'api', 'static', 439, 12, 3, 5, 4096, 1, 2, 3, 105, 1, 7, null],
            [
                $status->source, $status->pool, $status->processManager, $status->startSinceSeconds,
                $status->acceptedConnections, $status->listenQueue,
                $status->maxListenQueue, $status->listenQueueLength, $status->idleProcesses, $status->activeProcesses,
                $status->totalProcesses,
                $status->maxActiveProcesses, $status->maxChildrenReached, $status->slowRequests,
                $status->memoryPeakBytes,
            ],
        );
        self::assertSame(
            [
                [17486, ProcessState::Running, 6, 439, 300_166, 'GET', '/s.php', null, '/srv/s.php', 0.0, 0],
                [17487, ProcessState::ReadingHeaders, 6, 430, 134, 'POST', '/status', null, null, 12.34, 2_097_152],
            ],
            array_map(self::fields(...), $status->processes ?? []),
        );
        self::assertSame(
            [1, 1, 0],
            [
                $status->inState(ProcessState::Running),
                $status->inState(ProcessState::ReadingHeaders),
                $status->inState(ProcessState::Idle),
            ],
        );
    }

    #[Test]
    public function a_query_is_shown_on_request_only(): void
    {
        $shown = PoolStatus::fromPage(self::FULL, 'here', withQuery: true);

        self::assertSame('token="b"&c=', $shown->processes[0]->query ?? null);
        self::assertStringNotContainsString('token', serialize(PoolStatus::fromPage(self::FULL, 'here')));
    }

    #[Test]
    public function fields_of_other_versions_are_left_out_and_missing_ones_are_unknown(): void
    {
        $newer = PoolStatus::fromPage(
            '{"pool":"www","memory peak":2097152,"something'
                .' new":[1,{"a":2}],"processes":[{"pid":1,"state":"Dreaming","new":true}]}',
            'here',
        );

        self::assertSame(
            [2_097_152, null, null],
            [$newer->memoryPeakBytes, $newer->processManager, $newer->listenQueue],
        );
        self::assertSame(
            [1, ProcessState::Unknown, null],
            [
                $newer->processes[0]->pid ?? null,
                $newer->processes[0]->state ?? null,
                $newer->processes[0]->requests ?? null,
            ],
        );
        self::assertNull(PoolStatus::fromPage('{"pool":"www"}', 'here')->processes);
        self::assertSame([], PoolStatus::fromPage('{"pool":"www","processes":[]}', 'here')->processes);
    }

    #[Test]
    public function impossible_numbers_are_unknown(): void
    {
        $status = PoolStatus::fromPage(
            '{"pool":"www","accepted conn":18446744073709551615,"listen queue":-1,"slow requests":"7","idle'
                .' processes":1.5,"processes":[{"pid":1,"request duration":18446744073709003776},{"state":"Idle"},7]}',
            'here',
        );

        self::assertSame(
            [null, null, null, null],
            [$status->acceptedConnections, $status->listenQueue, $status->slowRequests, $status->idleProcesses],
        );
        self::assertCount(1, $status->processes ?? []);
        self::assertNull($status->processes[0]->durationMicros ?? null);
    }

    /** @return iterable<string, array{string, ?float}> */
    public static function percentages(): iterable
    {
        yield 'a comma' => ['12,34', 12.34];
        yield 'a negative one with a comma' => ['-0,50', -0.5];
        yield 'no number' => ['nan', null];
        yield 'a negative no number' => ['-nan', null];
        yield 'infinity' => ['inf', null];
        yield 'a huge one' => ['98765432109876543210.00', 98765432109876543210.0];
    }

    #[Test]
    #[DataProvider('percentages')]
    public function a_number_in_another_locale_is_read(string $printed, ?float $percent): void
    {
        $status = PoolStatus::fromPage(
            str_replace('"last request cpu":12.34', "\"last request cpu\":{$printed}", self::FULL),
            'here',
        );

        self::assertSame(
            [$percent, 2_097_152],
            [$status->processes[1]->lastCpuPercent ?? null, $status->processes[1]->lastMemoryBytes ?? null],
        );
    }

    #[Test]
    public function bytes_that_are_no_utf_8_do_not_hide_the_page(): void
    {
        $status = PoolStatus::fromPage(str_replace('s.php?', "\xff\xfe?", self::FULL), 'here');

        self::assertSame("/\u{FFFD}\u{FFFD}", $status->processes[0]->uri ?? null);
    }

    #[Test]
    public function a_page_cut_at_any_byte_is_a_failure(): void
    {
        for ($cut = 0, $length = strlen(self::FULL); $cut < $length; $cut++) {
            try {
                PoolStatus::fromPage(substr(self::FULL, 0, $cut), 'here');
                self::fail("Cut at {$cut} it is no page.");
            } catch (FactUnavailable $e) {
                self::assertSame(
                    UnreadableStatus::noJson('here', substr(self::FULL, 0, $cut), self::error($e))->getMessage(),
                    $e->getMessage(),
                );
            }
        }
    }

    /** @return iterable<string, array{string, bool, string}> text, whether it is JSON, and what the message shows */
    public static function garbage(): iterable
    {
        yield 'HTML' => ["<html>\n", false, '(Syntax error): "<html>\n"'];
        yield 'a URI that was not escaped' => [
            '{"pool":"www","processes":[{"request uri":"/a"b"}]}', false, 'request uri',
        ];
        yield 'no pool' => ['{"status":"ok"}', true, 'status'];
        yield 'a pool that is none' => ['{"pool":7}', true, ':7'];
        yield 'a number' => ['12', false, '"12"'];
        yield 'null' => ['null', false, '"null"'];
        yield 'too deep' => [str_repeat('[', 5_000).str_repeat(']', 5_000), false, '[['];
        yield 'a long text' => [str_repeat('x', 500), false, ' 380 '];
        yield 'control characters' => ["\e[31m", false, '"\033[31m"'];
    }

    #[Test]
    #[DataProvider('garbage')]
    public function garbage_is_named(string $text, bool $isJson, string $shown): void
    {
        try {
            PoolStatus::fromPage($text, 'here');
            self::fail('It is no page.');
        } catch (FactUnavailable $e) {
            $expected = $isJson
                ? UnreadableStatus::noPool('here', $text)
                : UnreadableStatus::noJson('here', $text, self::error($e));

            self::assertSame($expected->getMessage(), $e->getMessage());
            self::assertStringContainsString($shown, $e->getMessage());
        }
    }

    /** Returns PHP's message about the JSON. */
    private static function error(FactUnavailable $e): string
    {
        return preg_match('/\((.*?)\)/', $e->getMessage(), $m) === 1 ? $m[1] : '';
    }

    /** @return list<mixed> */
    private static function fields(PoolProcess $process): array
    {
        return [
            $process->pid, $process->state, $process->requests, $process->startSinceSeconds, $process->durationMicros,
            $process->method, $process->uri,
            $process->query, $process->script, $process->lastCpuPercent, $process->lastMemoryBytes,
        ];
    }
}
