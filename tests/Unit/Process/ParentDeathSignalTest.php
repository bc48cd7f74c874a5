<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process;

use Headroom\Process\ParentDeathSignal;
use Headroom\Process\Proc;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\Process;

#[RequiresPhpExtension('posix')]
final class ParentDeathSignalTest extends DirectoryTestCase
{
    protected function setUp(): void
    {
        Programs::optional('setpriv') ?? self::markTestSkipped('Without setpriv nothing is tied.');
        parent::setUp();
    }

    #[Test]
    public function children_of_a_killed_process_end_with_it(): void
    {
        self::assertEnds($this->leftByAKilledStarter('usleep(300_000);'));
    }

    #[Test]
    public function a_starter_that_is_killed_before_the_kernel_was_told_leaves_nothing_either(): void
    {
        // One that is slow: the kernel, asked after the starter's death, would wait for the death of the
        // process that inherits it.
        $setpriv = (string) Programs::optional('setpriv');
        $slow = $this->directory->write('setpriv', <<<SH
            #!/bin/sh
            parent=\$STARTER
            while [ "\$parent" = "\$STARTER" ]; do read -r _ _ _ parent _ </proc/\$\$/stat; done
            exec {$setpriv} "\$@"

            SH);
        chmod($slow, 0o755);

        self::assertEnds($this->leftByAKilledStarter('', "{$this->directory->path}:"));
    }

    #[Test]
    public function the_command_is_unchanged(): void
    {
        $process = new Process(ParentDeathSignal::around(['printf', '%s\n', 'a "b" $c', '', "--\n*"], Signal::Kill));

        self::assertSame(0, $process->run(), $process->getErrorOutput());
        self::assertSame("a \"b\" \$c\n\n--\n*\n", $process->getOutput());
    }

    /** @return int the pid of a process that a killed one had tied to itself */
    private function leftByAKilledStarter(string $then, string $path = ''): int
    {
        $starter = $this->directory->write(
            'starter.php',
            '<?php require '.var_export(dirname(__DIR__, 3).'/vendor/autoload.php', true).';'.<<<PHP

            \$process = new Symfony\\Component\\Process\\Process(Headroom\\Process\\ParentDeathSignal::around(['sleep', '60'], Headroom\\Process\\Signal::Kill));
            \$process->start(null, ['STARTER' => (string) getmypid()]);
            echo \$process->getPid();
            {$then}
            posix_kill(getmypid(), 9);
            PHP,
        );
        $process = new Process([PHP_BINARY, $starter], env: ['PATH' => $path.getenv('PATH')]);

        try {
            $process->run();
            self::fail('It was not killed: '.$process->getOutput().$process->getErrorOutput());
        } catch (ProcessSignaledException $e) {
            self::assertSame(9, $e->getSignal());
        }

        return (int) $process->getOutput();
    }

    private static function assertEnds(int $pid): void
    {
        self::assertGreaterThan(1, $pid);
        $proc = new Proc;

        for ($i = 0; $i < 500 && $proc->isAlive($pid); $i++) {
            usleep(10_000);
        }

        $alive = $proc->isAlive($pid);
        $alive && posix_kill($pid, 9);
        self::assertFalse($alive, 'It is still there.');
    }
}
