<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;

/**
 * The requests of an access log, sent again.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class ReplayTest extends LoadCommandTestCase
{
    /** Ten thousand requests of a real site. */
    private const REAL = __DIR__.'/../../../../shared/data/apache-access.log.gz';

    #[Test]
    public function requests_of_a_log_are_sent_and_the_others_counted(): void
    {
        $log = $this->log(
            [0, 'GET /a?b=c HTTP/1.1'],
            [0, 'POST /form HTTP/1.1'],
            [1, 'HEAD /head HTTP/1.1'],
            [1, 'DELETE /x HTTP/1.1'],
            [1, 'BREW /x HTTP/1.1'],
            [1, 'GET http://elsewhere.example/ HTTP/1.1'],
            [1, '\x16\x03\x01'],
            [1, 'GET /with blank"and#more HTTP/1.1'],
            [2, 'GET /last HTTP/1.1'],
        );
        file_put_contents($log, "rubbish\n\n", FILE_APPEND);
        $process = Headroom::load(
            $this->server->url('/base'),
            "--replay={$log}",
            '--speed=10',
            '--header=X-One: two',
            '--json',
        );
        $result = Headroom::result($process);
        $seen = $this->server->requests();

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        $sent = array_map(static fn (SeenRequest $request): string => "{$request->method} {$request->path}", $seen);
        // Two of one second go over two connections, of which the server may read either first.
        $pair = array_splice($sent, 1, 2);
        sort($pair);
        array_splice($sent, 1, 0, $pair);
        self::assertSame(
            ['GET /base/a?b=c', 'GET /base/with%20blank%22and%23more', 'HEAD /base/head', 'GET /base/last'],
            $sent,
        );
        self::assertContains('X-One: two', $seen[0]->headers);
        self::assertSame([11, 4], [$result->at('replay.lines'), $result->at('replay.requests')]);
        [$leftOut, $unreadable] = [(array) $result->at('replay.left_out'), (array) $result->at('replay.unreadable')];
        self::assertSame([[1, 1, 1, 1, 1], [1, 1]], [array_values($leftOut), array_values($unreadable)]);
        self::assertSame(['POST', 'DELETE'], array_slice(array_keys($leftOut), 0, 2));
        Snapshot::assertPrinted(
            'load',
            'lines of a log that are not sent',
            implode("\n", [...array_keys($leftOut), ...array_keys($unreadable)]),
        );
    }

    #[Test]
    public function requests_come_as_far_apart_as_they_did_or_so_many_times_faster(): void
    {
        $log = $this->log(
            [0, 'GET /1 HTTP/1.1'],
            [4, 'GET /3 HTTP/1.1'],
            [2, 'GET /2 HTTP/1.1'],
            [8, 'GET /4 HTTP/1.1'],
        );
        $result = Headroom::result(Headroom::load($this->server->url(''), "--replay={$log}", '--speed=8', '--json'));

        // The third line came before the second.
        self::assertSame(
            ['/1', '/2', '/3', '/4'],
            array_map(static fn (SeenRequest $request): string => $request->path, $this->server->requests()),
        );
        self::assertGreaterThanOrEqual(1.0, $result->number('seconds'));
        $this->assertNoneBefore([0.0, 0.25, 0.5, 1.0], $result);
    }

    #[Test]
    public function those_of_one_second_are_spread_over_it(): void
    {
        $log = $this->log(...array_map(static fn (int $i): array => [0, "GET /{$i} HTTP/1.1"], range(1, 8)));
        $result = Headroom::result(Headroom::load($this->server->url(''), "--replay={$log}", '--json'));

        $this->assertNoneBefore(array_map(static fn (int $i): float => $i * 0.125, range(0, 7)), $result);
    }

    #[Test]
    public function response_times_count_from_when_a_request_was_due(): void
    {
        $log = $this->log(
            [0, 'GET /freeze/600 HTTP/1.1'],
            ...array_map(static fn (int $i): array => [1, "GET /ok/{$i} HTTP/1.1"], range(1, 10)),
        );
        $result = Headroom::result(Headroom::load($this->server->url(''), "--replay={$log}", '--speed=10', '--json'));

        // Ten came within the tenth of a second that begins after one tenth, and the server slept for six.
        self::assertGreaterThanOrEqual(400_000, $result->number('latency_us.answered.min'));
        self::assertSame(11, $result->at('latency_us.answered.count'));
    }

    #[Test, Group('day-3')]
    public function a_duration_takes_only_the_beginning(): void
    {
        $log = $this->log([0, 'GET /1 HTTP/1.1'], [1, 'GET /2 HTTP/1.1'], [60, 'GET /3 HTTP/1.1']);
        $process = Headroom::load(
            $this->server->url(''),
            "--replay={$log}",
            '--speed=5',
            '--duration=0.5',
            '--processes=2',
            '--json',
        );
        $result = Headroom::result($process);

        self::assertSame([2, 0.5], [$result->at('sent'), $result->at('plan.duration_s')], $process->getErrorOutput());
        Sentence::assertNames(['5', '0.500 s', '500'], str_replace($log, '', $process->getErrorOutput()));
        // On a busy machine a warning about this client's own core follows.
        Snapshot::assertPrinted('load', 'the beginning of a log', strtok($process->getErrorOutput(), "\n")."\n");
        // Each of the two has read the whole log.
        self::assertSame(3, $result->at('replay.lines'));
    }

    #[Test, Group('day-2')]
    public function a_real_log_is_sent_whole_by_two_processes(): void
    {
        if (! is_file(self::REAL)) {
            self::markTestSkipped('The log of a real site is not there.');
        }

        $process = Headroom::load(
            $this->server->url(''),
            '--replay='.self::REAL,
            '--speed=max',
            '--processes=2',
            '--json',
        );
        $result = Headroom::result($process);
        $paths = [];

        foreach ((array) gzfile(self::REAL) as $line) {
            if (preg_match('~"(GET|HEAD) (/\S*) HTTP/.*"$~', (string) $line, $m) === 1) {
                $paths[] = "{$m[1]} {$m[2]}";
            }
        }

        $seen = array_map(
            static fn (SeenRequest $request): string => "{$request->method} {$request->path}",
            $this->server->requests(),
        );
        sort($paths);
        sort($seen);

        self::assertSame(
            [10_000, 9_993, 9_993],
            [$result->at('replay.lines'), $result->at('replay.requests'), $result->at('sent')],
            $process->getErrorOutput(),
        );
        self::assertSame(['OPTIONS' => 1, 'POST' => 5], $this->sorted($result->at('replay.left_out')));
        self::assertSame([1], array_values((array) $result->at('replay.unreadable')));
        self::assertSame($paths, $seen);
    }

    /** @param array{int, string} ...$requests second and request */
    private function log(array ...$requests): string
    {
        $lines = array_map(
            static fn (array $request): string => sprintf(
                '192.0.2.1 - - [17/May/2015:10:05:%02d +0000] "%s" 200 5 "-" "x"',
                $request[0],
                str_replace('"', '\"', $request[1]),
            ),
            $requests,
        );

        return $this->directory->write('access.log', str_replace(':60 +', ':59 +', implode("\n", $lines))."\n");
    }

    /**
     * How long after its time each began is this machine's affair.
     *
     * @param list<float> $due seconds
     */
    private function assertNoneBefore(array $due, LoadJson $result): void
    {
        $sent = 0;

        foreach (array_keys($result->list('timeline')) as $slot) {
            $sent += (int) $result->number("timeline.{$slot}.sent");
            self::assertLessThanOrEqual(
                count(array_filter($due, static fn (float $seconds): bool => $seconds < ($slot + 1) * 0.125)),
                $sent,
                "slot {$slot}",
            );
        }

        self::assertSame(count($due), $sent);
    }

    /** @return array<mixed> */
    private function sorted(mixed $counts): array
    {
        self::assertIsArray($counts);
        ksort($counts);

        return $counts;
    }
}
