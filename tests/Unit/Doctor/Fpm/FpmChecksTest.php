<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Fpm;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\Config\UnreadableConfig;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Kernel\Process\ProcessMemory;
use Headroom\Doctor\Status;
use Headroom\Host\Fpm\Address;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Checks of PHP-FPM where a running one cannot show it: logs of other times, facts that are not known.
 */
final class FpmChecksTest extends TestCase
{
    private WebServers $machine;

    protected function setUp(): void
    {
        $this->machine = new WebServers;
    }

    /**
     * @return iterable<string, array{array<string, string>, array<string, string>, string, Status}> pool, global, log,
     *     what is said
     */
    public static function busyPools(): iterable
    {
        $busy = '[22-Nov-2026 10:00:0%d] WARNING: [pool %s] seems busy (you may need to increase pm.start_servers,'
            ." or pm.min/max_spare_servers), spawning 8 children, there are 0 idle, and 9 total children\n";
        $lines = static fn (int $count, string $pool = 'www'): string
            => implode('', array_map(static fn (int $i): string => sprintf($busy, $i, $pool), range(1, $count)));
        $start = "[22-Nov-2026 10:00:00] NOTICE: fpm is running, pid 70\n";

        yield 'three times' => [['pm' => 'dynamic'], [], $start.$lines(3), Status::Warn];
        yield 'twice' => [['pm' => 'dynamic'], [], $start.$lines(2), Status::Pass];
        yield 'before a reload' => [['pm' => 'dynamic'], [], $start.$lines(9).$start.$lines(2), Status::Pass];
        yield 'another master has started' => [
            ['pm' => 'dynamic'],
            [],
            $start.$lines(3).str_replace('70', '71', $start),
            Status::Warn,
        ];
        yield 'another pool' => [['pm' => 'dynamic'], [], $start.$lines(9, 'other'), Status::Pass];
        yield 'a static pool' => [['pm' => 'static'], [], $start.$lines(9), Status::Skipped];
        yield 'a level without starts' => [['pm' => 'dynamic'], ['log_level' => 'WARNING'], $lines(3), Status::Unknown];
        yield 'and without such lines' => [['pm' => 'dynamic'], ['log_level' => 'WARNING'], $lines(2), Status::Pass];
        yield 'a level without warnings' => [['pm' => 'dynamic'], ['log_level' => 'ERROR'], '', Status::Unknown];
        yield 'a syslog' => [['pm' => 'dynamic'], ['error_log' => 'syslog'], '', Status::Unknown];
        yield 'a log that is not there' => [
            ['pm' => 'dynamic'],
            ['error_log' => '/nowhere/fpm.log'],
            '',
            Status::Unknown,
        ];
    }

    /**
     * @param array<string, string> $pool
     * @param array<string, string> $global
     */
    #[Test]
    #[DataProvider('busyPools')]
    public function processes_that_had_to_be_started_in_a_burst(
        array $pool,
        array $global,
        string $log,
        Status $status,
    ): void {
        $path = $this->machine->path('fpm.log', "{$log}\n");
        $finding = self::ofFpm(
            'F3',
            $this->machine->fpm(['www' => $pool], $global + ['error_log' => $path, 'log_level' => 'unknown value']),
        );

        self::assertSame($status, $finding->status, $finding->message);
    }

    #[Test]
    public function pools_without_a_process_are_unknown_and_a_single_pool_is_skipped(): void
    {
        self::assertSame(Status::Unknown, self::ofFpm('F12', $this->machine->fpm(['a' => [], 'b' => []]))->status);
        self::assertSame(Status::Skipped, self::ofFpm('F12', $this->machine->fpm(['a' => []]))->status);
    }

    /**
     * @return iterable<string, array{
     *     array{a: float, b: float}, array<string, string>, array<string, int>, Status, list<string>,
     * }> shares of memory by pool, global, masters, status, what the message names
     */
    public static function poolsTogether(): iterable
    {
        yield 'more than there is' => [['a' => 0.5, 'b' => 0.5], [], [], Status::Warn, []];
        yield 'less' => [['a' => 0.35, 'b' => 0.35], [], [], Status::Pass, []];
        yield 'one by itself' => [['a' => 0.9, 'b' => 0.1], [], [], Status::Pass, ['a', 'F1']];
        yield 'bounded' => [['a' => 0.5, 'b' => 0.5], ['process.max' => '3'], [], Status::Pass, []];
        yield 'bounded by too much' => [['a' => 0.5, 'b' => 0.5], ['process.max' => '99999999'], [], Status::Warn, []];
        yield 'of two PHP-FPMs' => [['a' => 0.5, 'b' => 0.5], [], ['b' => 80], Status::Warn, []];
        yield 'less of two PHP-FPMs' => [['a' => 0.35, 'b' => 0.35], [], ['b' => 80], Status::Pass, []];
    }

    /**
     * @param array{a: float, b: float} $shares
     * @param array<string, string> $global
     * @param array<string, int> $masters
     * @param list<string> $shown
     */
    #[Test]
    #[DataProvider('poolsTogether')]
    public function pools_that_share_the_memory(
        array $shares,
        array $global,
        array $masters,
        Status $status,
        array $shown,
    ): void {
        // Processes that are here: two for their weight, and one whose control group can be read,
        // which is the master's.
        [$other, $master] = [self::asleep(), self::asleep()];
        $pids = ['a' => (int) getmypid(), 'b' => (int) $other->getPid()];
        $total = MachineMemory::read()->totalBytes;
        $children = array_map(
            static fn (int $pid, float $share): array
                => ['pm.max_children' => (string) round($share * $total / ProcessMemory::of($pid)->pssBytes)],
            $pids,
            $shares,
        );
        $finding = self::ofFpm(
            'F12',
            $this->machine->fpm(
                array_combine(['a', 'b'], $children),
                $global,
                [],
                $pids,
                $masters + array_fill_keys(['a', 'b'], (int) $master->getPid()),
            ),
        );
        $other->stop(0);
        $master->stop(0);

        self::assertSame($status, $finding->status, $finding->message);
        Examined::shows($shown, $finding->message);
    }

    private static function asleep(): Process
    {
        $process = new Process([PHP_BINARY, '-n', '-r', 'echo "ready\n"; sleep(60);']);
        $process->start();
        Printed::by($process, 'ready');

        return $process;
    }

    #[Test]
    public function a_silent_php_fpm_takes_nothing_from_the_others(): void
    {
        $pools = new FpmPools([
            ...$this->machine->fpm(['www' => []])->pools,
            ...$this->machine->fpm(['www' => []], ['process_control_timeout' => '0'], masters: ['www' => 80])->pools,
        ], [90 => UnreadableConfig::noBinary(90, 'gone')], []);
        $verdicts = Examined::by('F11', [FpmPools::class => static fn (): FpmPools => $pools])->results;

        self::assertSame(
            ['F11 /etc/php-fpm-80.conf warn', 'F11 /etc/php-fpm-70.conf unknown', 'F11 PHP-FPM 90 unknown'],
            array_map(
                static fn (CheckResult $verdict): string => "{$verdict->key()} {$verdict->finding->status->value}",
                $verdicts,
            ),
        );

        $elsewhere = (new FpmProbe)->at([Address::parse('/nowhere/a.sock'), Address::parse('/nowhere/b.sock')], []);
        $verdicts = Examined::by('F11', [FpmPools::class => static fn (): FpmPools => $elsewhere])->results;
        self::assertSame(
            ['F11 /nowhere/a.sock', 'F11 /nowhere/b.sock'],
            array_map(static fn (CheckResult $verdict): string => $verdict->key(), $verdicts),
        );
    }

    /** @return iterable<string, array{array<string, string>, Status}> */
    public static function formats(): iterable
    {
        yield 'no log' => [[], Status::Skipped];
        yield 'none of it' => [['access.log' => '/a', 'access.format' => 'undefined'], Status::Warn];
        yield 'all of it' => [
            ['access.log' => '/a', 'access.format' => '%R %{milliseconds}d %{kilobytes}M %C%%'], Status::Pass,
        ];
        yield 'no memory' => [['access.log' => '/a', 'access.format' => '%d %m %C'], Status::Warn];
    }

    /** @param array<string, string> $pool */
    #[Test]
    #[DataProvider('formats')]
    public function the_format_of_an_access_log_has_the_cost_of_a_request(array $pool, Status $status): void
    {
        self::assertSame($status, self::ofFpm('F13', $this->machine->fpm(['www' => $pool]))->status);
    }

    private static function ofFpm(string $id, FpmPools $pools): Finding
    {
        return Examined::by($id, [
            FpmPools::class => static fn (): FpmPools => $pools,
            MachineMemory::class => static fn (): MachineMemory => MachineMemory::read(),
        ])->results[0]->finding;
    }
}
