<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Dev\DelayProxy;
use Headroom\Doctor\UnderLoad\Waits\ProcessWaits;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Tests\Acceptance\Doctor\Fpm\Eventually;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The live view of a pool in which a real PHP-FPM works and waits. Other tests may run pools of the same name at the
 * same time.
 */
#[Group('snapshot')]
final class TopCommandTest extends TestCase
{
    /** All are busy, and all sleep. */
    private const ASLEEP = '/^  4 \w+\n  4 \w+\n(?=   )/m';

    #[Test, Group('day-3')]
    public function the_waits_of_processes_and_the_queue_are_shown(): void
    {
        // However long it takes on a busy machine to look twice.
        $enough = sys_get_temp_dir().'/headroom-enough-'.bin2hex(random_bytes(6));
        $stack = new Stack(
            fpm: ['[www]' => '[topped]'],
            script: "<?php for (\$s = 0; \$s < 60 && ! file_exists('{$enough}'); \$s++) { sleep(1); } echo 'served';",
        );
        $waiting = $stack->slow(6, 0.0);
        Eventually::true(static fn (): bool => $stack->pools()->pools[0]->queue()->waiting === 2);
        $tries = 0;

        // One that has just woken is busy.
        do {
            $shown = $this->top('--pool=topped', '--looks=2', '--every=0.3');
        } while (++$tries < 20 && preg_match_all(self::ASLEEP, $shown->getOutput()) !== 2);

        touch($enough);

        self::assertSame(0, $shown->getExitCode(), $shown->getErrorOutput());
        self::assertSame(2, preg_match_all('/pool topped \(static, 4 .*\b2 \D+\b511 /', $shown->getOutput()));
        self::assertSame(2, preg_match_all(self::ASLEEP, $shown->getOutput()));
        self::assertSame(
            1,
            preg_match(
                '~^pool topped .*\n(?:  .*\n)*? +\d\.\d s  pid \d+ +sleeping +GET /~m',
                $shown->getOutput(),
                $look,
            ),
            $shown->getOutput(),
        );
        Snapshot::assertPrinted(
            'doctor:top',
            'four processes sleep',
            (string) preg_replace('/ s  pid +\d+/', ' s  pid N', $look[0]),
        );
        self::assertStringNotContainsString("\e[", $shown->getOutput());

        foreach ($waiting as $process) {
            $process->wait();
        }

        unlink($enough);
        self::assertMatchesRegularExpression(
            '~\b0 \D+\b511 .*\n  4 \w+\n~',
            $this->top('--pool=topped', '--looks=1')->getOutput(),
        );
    }

    #[Test, Group('day-1')]
    public function a_terminal_is_written_over_and_ctrl_c_ends_it(): void
    {
        $stack = new Stack(fpm: [
            '[www]' => '[live]',
            'pm.status_path = /fpm-status' => '',
            'pm.status_listen = %DIR%/status.sock' => '',
        ]);
        $process = new Process(
            [PHP_BINARY, dirname(__DIR__, 3).'/bin/headroom', 'doctor:top', '--pool=live', '--every=0.2', '--ansi'],
            timeout: 30,
        );
        $process->setPty(true);
        $process->start();
        Printed::by($process, 'pool live (', times: 3);
        $process->signal(SIGINT);
        $process->wait();

        self::assertSame(0, $process->getExitCode());
        self::assertStringContainsString("\e[", $process->getOutput());
        self::assertStringContainsString('pm.status_path', $process->getOutput());
        unset($stack);
    }

    #[Test]
    public function it_ends_when_the_reader_has_closed_the_pipe(): void
    {
        $stack = new Stack(fpm: ['[www]' => '[piped]']);
        $top = escapeshellarg(PHP_BINARY).' '.escapeshellarg(dirname(__DIR__, 3).'/bin/headroom')
            .' doctor:top --pool=piped --every=0.1';
        $process = Process::fromShellCommandline("{ {$top}; echo \$? >&2; } | head -1", timeout: 30);
        $process->mustRun();

        self::assertStringContainsString('piped', $process->getOutput());
        self::assertSame("0\n", $process->getErrorOutput());
        unset($stack);
    }

    #[Test]
    public function where_processes_are_on_the_cpus_it_says_what_names_their_functions(): void
    {
        $enough = sys_get_temp_dir().'/headroom-enough-'.bin2hex(random_bytes(6));
        $script = "<?php for (\$s = microtime(true) + 60; microtime(true) < \$s && ! file_exists('{$enough}'););";
        $stack = new Stack(fpm: ['[www]' => '[topped]'], script: $script);
        $working = $stack->slow(3, 0.0);
        $tries = 0;

        do {
            $shown = $this->top('--pool=topped', '--looks=1')->getOutput();
        } while (++$tries < 20 && ! str_contains($shown, '--url='));

        touch($enough);

        foreach ($working as $process) {
            $process->wait();
        }

        unlink($enough);

        self::assertSame(1, preg_match("~^    headroom doctor --url='(.+)'$~m", $shown, $m), $shown);
        self::assertSame($stack->url(), substr($m[1], 0, strlen($stack->url())));
        self::assertStringNotContainsString('--url=', $this->top('--pool=topped', '--looks=1')->getOutput());
    }

    #[Test, Group('day-2')]
    public function a_server_that_is_told_of_has_its_name(): void
    {
        $redis = RedisServer::start();
        $way = DelayProxy::start('127.0.0.1', $redis->port, 10_000.0);
        $stack = new Stack(
            script: "<?php \$call = fsockopen('127.0.0.1', {$way->port}); fwrite(\$call, \"PING\\r\\n\");"
                ." fgets(\$call); echo 'served';",
        );
        $waiting = $stack->slow(2, 0.0);
        Eventually::true(static fn (): bool => count(array_filter(
            (new ProcessWaits)->of($stack->children()),
            static fn (Wait $wait): bool => $wait->kind === WaitKind::Reply,
        )) === 2);
        $address = "127.0.0.1:{$way->port}";
        $at = ['--looks=1', "--fpm={$stack->path('fpm.sock')}"];
        $told = $this->top("--redis={$address}", ...$at);
        $untold = $this->top(...$at);
        $way->stop();

        foreach ($waiting as $process) {
            $process->wait();
        }

        self::assertMatchesRegularExpression(
            "/^  2 .* {$address} \(Redis\)$/m",
            $told->getOutput(),
            $told->getErrorOutput(),
        );
        self::assertStringNotContainsString('(Redis)', $untold->getOutput());
        self::assertMatchesRegularExpression("/^  2 .* {$address}/m", $untold->getOutput(), $untold->getErrorOutput());
    }

    #[Test, Group('day-1')]
    public function a_pool_that_is_not_there_is_named(): void
    {
        $stack = new Stack(fpm: ['[www]' => '[here]']);
        $shown = $this->top('--pool=nowhere', '--looks=1');

        self::assertSame(2, $shown->getExitCode());
        Sentence::assertNames(["'nowhere'", 'here'], $shown->getErrorOutput());
        self::assertSame(2, $this->top('--every=0')->getExitCode());
        unset($stack);
    }

    private function top(string ...$options): Process
    {
        $process = new Process(
            [PHP_BINARY, dirname(__DIR__, 3).'/bin/headroom', 'doctor:top', ...array_values($options)],
            timeout: 60,
        );
        $process->run();

        return $process;
    }
}
