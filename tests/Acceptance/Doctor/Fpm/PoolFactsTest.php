<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\Status\PoolStatus;
use Headroom\Doctor\Fpm\Status\ProcessState;
use Headroom\Doctor\Fpm\Status\StatusPage;
use Headroom\Doctor\Kernel\Counters;
use Headroom\Doctor\Kernel\Process\ChildrenMemory;
use Headroom\Doctor\Kernel\Sockets\AcceptQueue;
use Headroom\Doctor\Kernel\Sockets\ListenSockets;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\FastCgiFailure;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Process\Ports;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\Test;

final class PoolFactsTest extends PoolsTestCase
{
    #[Test]
    public function a_running_master_is_found_with_its_program_its_file_and_its_children(): void
    {
        $pools = $this->start([
            'still' => ['pm.max_children' => 2],
            'moving' => [
                'pm' => 'dynamic',
                'pm.max_children' => 3,
                'pm.start_servers' => 1,
                'pm.min_spare_servers' => 1,
                'pm.max_spare_servers' => 1,
            ],
            'rare' => ['pm' => 'ondemand'],
        ]);
        Eventually::true(fn (): bool => array_map(
            count(...),
            $this->master()->children(),
        ) === ['still' => 2, 'moving' => 1]);

        $master = $this->master();
        self::assertSame(
            [$pools->directory->file('fpm.conf'), true],
            [$master->configFile, is_executable($master->program())],
        );

        (new FastCgiClient)->get($pools->at('rare'), '/status', 'json');
        self::assertCount(1, $this->master()->children()['rare'] ?? []);
    }

    #[Test]
    public function every_kind_of_pool_tells_its_status(): void
    {
        $port = Ports::free();
        $pools = $this->start([
            'tcp' => ['listen' => $port, 'pm.max_children' => 2, 'listen.backlog' => 33],
            'moving' => [
                'pm' => 'dynamic',
                'pm.max_children' => 3,
                'pm.start_servers' => 1,
                'pm.min_spare_servers' => 1,
                'pm.max_spare_servers' => 1,
            ],
            'rare' => ['pm' => 'ondemand'],
        ]);
        $read = static fn (Address $address): PoolStatus => (new StatusPage)->read($address, '/status');
        // FPM's master counts its workers once a second.
        Eventually::true(static fn (): bool => $read(Address::parse("127.0.0.1:{$port}"))->totalProcesses === 2);

        $tcp = $read(Address::parse("127.0.0.1:{$port}"));
        self::assertSame(
            ['tcp', 'static', 2, 33, 1],
            [
                $tcp->pool,
                $tcp->processManager,
                $tcp->totalProcesses,
                $tcp->listenQueueLength,
                $tcp->inState(ProcessState::Running),
            ],
        );
        self::assertSame(
            '/status',
            array_column(
                array_filter(
                    $tcp->processes ?? [],
                    static fn ($process): bool => $process->state === ProcessState::Running,
                ),
                'uri',
            )[0] ?? null,
        );

        foreach (['moving' => 'dynamic', 'rare' => 'ondemand'] as $pool => $manager) {
            $status = $read($pools->at($pool));
            self::assertSame(
                [$pool, $manager, 1],
                [$status->pool, $status->processManager, $status->inState(ProcessState::Running)],
            );
        }
    }

    #[Test]
    public function a_path_that_is_no_status_path_is_told_as_such(): void
    {
        $pools = $this->start(['www' => []]);

        self::assertSame(
            FastCgiFailure::ScriptNotFound,
            self::refused(static fn () => (new StatusPage)->read($pools->at('www'), '/other'))->failure,
        );
    }

    #[Test]
    public function a_page_that_could_not_lock_its_figures_is_asked_again(): void
    {
        $pools = $this->start(['www' => []]);
        $asked = $pools->write('asked', '');
        chmod($asked, 0o666);
        // A test cannot provoke this answer of FPM. The script gives it first, and a status page later.
        $page = $pools->write('page.php', '<?php
            file_put_contents(__DIR__."/asked", "x", FILE_APPEND);
            filesize(__DIR__."/asked") > 4 || http_response_code(500) && exit("Internal error. Please review log file for errors.");
            echo \'{"pool": "www", "processes": []}\';
        ');

        $status = (new StatusPage)->read($pools->at('www'), $page);

        self::assertSame([], $status->processes);
        self::assertSame('xxxxx', file_get_contents($asked));
        self::assertSame(5, $status->requests, 'FPM has accepted as many connections.');
    }

    #[Test]
    public function a_page_that_never_comes_is_told_with_its_answer(): void
    {
        $pools = $this->start(['www' => []]);

        $this->expectException(FactUnavailable::class);
        $this->expectExceptionMessageMatches('/\b500: "Internal error\. Not now\."/');
        (new StatusPage)->read(
            $pools->at('www'),
            $pools->write('page.php', '<?php http_response_code(500); echo "Internal error. Not now.";'),
        );
    }

    #[Test]
    public function a_request_with_quotes_and_bytes_in_its_uri_does_not_hide_the_page(): void
    {
        $pools = $this->start(['www' => ['pm.max_children' => 2]]);
        $pools->hold($pools->at('www'), 1, "/a\"b\\c\xff?token=\"secret\"");
        Eventually::true(static fn (): bool => (new StatusPage)->read(
            $pools->at('www'),
            '/status',
        )->activeProcesses === 2);

        $status = (new StatusPage)->read($pools->at('www'), '/status');
        $held = array_values(array_filter(
            $status->processes ?? [],
            static fn ($process): bool => str_ends_with((string) $process->script, '/hold.php'),
        ));

        self::assertCount(1, $held);
        self::assertSame([ProcessState::Running, 'GET'], [$held[0]->state, $held[0]->method]);
        self::assertGreaterThan(0, $held[0]->durationMicros);
        self::assertStringNotContainsString('secret', (string) $held[0]->uri);
        $pools->release();
    }

    #[Test]
    public function a_full_pool_is_seen_by_the_kernel_and_a_page_of_its_own(): void
    {
        Needs::program('ss', 'iproute2');
        $pools = $this->start(['www' => ['pm.max_children' => 2, 'pm.status_listen' => '%dir%/status.sock']]);
        // Two are busy and three wait.
        $pools->hold($pools->at('www'), 5);
        Eventually::true(static fn (): bool => self::queue($pools)->waiting === 3);

        $refused = self::refused(static fn () => (new StatusPage(new FastCgiClient(500, 500)))->read(
            $pools->at('www'),
            '/status',
        ));
        self::assertSame(FastCgiFailure::ReadTimedOut, $refused->failure);
        self::assertStringContainsString($pools->at('www')->text(), $refused->getMessage());

        // FPM's master counts its workers once a second.
        Eventually::true(static fn (): bool => (new StatusPage)->read(
            $pools->at('status'),
            '/status',
        )->activeProcesses === 2);
        $own = (new StatusPage)->read($pools->at('status'), '/status');
        // php-src#9943: FPM does not know the queue of a unix socket. The refused one left its connection behind.
        self::assertSame([2, 0, 0], [$own->activeProcesses, $own->idleProcesses, $own->listenQueue]);
        self::assertGreaterThanOrEqual(3, self::queue($pools)->waiting);

        $pools->release();
        Eventually::true(static fn (): bool => self::queue($pools)->waiting === 0);
    }

    #[Test]
    public function the_queue_of_a_port_is_the_same_by_fpm_ss_and_the_kernel(): void
    {
        Needs::program('ss', 'iproute2');
        $port = Ports::free();
        $address = Address::parse((string) $port);
        $pools = $this->start(['www' => [
            'listen' => $port,
            'listen.backlog' => 16,
            'pm.status_listen' => '%dir%/status.sock',
        ]]);
        $pools->hold($address, 4);
        Eventually::true(static fn (): bool => ListenSockets::ofThisMachine()->port($port)[0]->waiting === 3);

        $queue = ListenSockets::ofThisMachine()->port($port, $pools->pid())[0];
        self::assertSame([3, 16, "127.0.0.1:{$port}"], [$queue->waiting, $queue->limit, $address->text()]);
        self::assertSame(3, (new ListenSockets(null))->port($port)[0]->waiting);
        Eventually::true(static fn (): bool => (new StatusPage)->read(
            $pools->at('status'),
            '/status',
        )->listenQueue === 3);
        $pools->release();
    }

    #[Test]
    public function full_queues_refuse_at_once_or_make_wait_and_only_tcp_is_counted(): void
    {
        $port = Ports::free();
        $pools = $this->start(['unix' => ['listen.backlog' => 1], 'tcp' => ['listen' => $port, 'listen.backlog' => 1]]);
        $tcp = Address::parse((string) $port);
        $before = Counters::ofTcp();
        // One is busy and two are queued, for a backlog of one.
        $this->fill($pools, $pools->at('unix'));
        self::assertSame(
            FastCgiFailure::QueueFull,
            self::refused(static fn () => (new FastCgiClient)->get($pools->at('unix'), '/status'))->failure,
        );
        $this->fill($pools, $tcp);
        self::assertSame(
            FastCgiFailure::ConnectTimedOut,
            self::refused(static fn () => (new FastCgiClient(300))->get($tcp, '/status'))->failure,
        );

        self::assertGreaterThan(0, Counters::ofTcp()->rise('ListenOverflows', $before));
        $pools->release();
    }

    #[Test]
    public function a_worker_that_is_killed_meanwhile_is_no_answer(): void
    {
        $pools = $this->start(['www' => []]);
        $script = $pools->write(
            'die.php',
            '<?php echo str_repeat("x", 100000); flush(); posix_kill(posix_getpid(), 9);',
        );

        self::assertSame(
            FastCgiFailure::BrokeOff,
            self::refused(static fn () => (new FastCgiClient)->get($pools->at('www'), $script))->failure,
        );
        Eventually::true(static fn (): bool => (new StatusPage)->read(
            $pools->at('www'),
            '/status',
        )->totalProcesses === 1);
    }

    #[Test]
    public function a_client_that_is_not_allowed_is_told_why_it_may_be(): void
    {
        $port = Ports::free();
        $this->start(['www' => ['listen' => $port, 'listen.allowed_clients' => '192.0.2.1']]);

        $refused = self::refused(static fn () => (new StatusPage)->read(Address::parse((string) $port), '/status'));
        self::assertSame(FastCgiFailure::BrokeOff, $refused->failure);
        self::assertStringContainsString('listen.allowed_clients', $refused->getMessage());
    }

    #[Test]
    public function the_memory_of_children_is_read_or_the_command_for_it_is_told(): void
    {
        $this->start(['www' => ['pm.max_children' => 2]]);
        Eventually::true(fn (): bool => count($this->master()->children()['www'] ?? []) === 2);
        $pids = $this->master()->children()['www'] ?? [];
        $memory = ChildrenMemory::of($pids);
        self::assertSame([2, []], [count($memory->measured), $memory->failures]);
        self::assertLessThan(array_sum(array_column($memory->measured, 'rssBytes')), $memory->sumPssBytes());

        if (posix_geteuid() === 0) {
            posix_seteuid(65_534);

            try {
                $denied = ChildrenMemory::of($pids);
            } finally {
                posix_seteuid(0);
            }

            self::assertSame(
                [null, "sudo cat /proc/{$pids[0]}/smaps_rollup"],
                [$denied->meanPssBytes(), $denied->failures[0]->command],
            );
        }
    }

    /** @param array<string, array<string, string|int>> $pools */
    private function start(array $pools): Pools
    {
        return $this->pools = Pools::start($pools);
    }

    private function master(): RunningMaster
    {
        foreach (RunningMaster::all() as $master) {
            if ($master->pid === $this->pools?->pid()) {
                return $master;
            }
        }

        self::fail('It runs and was not found.');
    }

    private function fill(Pools $pools, Address $address): void
    {
        $pools->hold($address, 1);
        // Taken by the worker before the queue is filled.
        Eventually::true(
            static fn (): bool => ($address->port === null
                ? ListenSockets::ofThisMachine()->unix($address->host)
                : ListenSockets::ofThisMachine()->port($address->port)[0])->waiting
                === 0,
        );
        $pools->hold($address, 2);
    }

    private static function queue(Pools $pools): AcceptQueue
    {
        return ListenSockets::ofThisMachine()->unix($pools->directory->file('www.sock'), $pools->pid());
    }

    /** @param callable(): mixed $call */
    private static function refused(callable $call): UnableToQueryPool
    {
        try {
            $call();
        } catch (UnableToQueryPool $e) {
            return $e;
        }

        self::fail('That was no answer.');
    }
}
