<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process;

use Headroom\Process\SignalMaskedCommand;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Redis\Patience;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Ctrl-C in a terminal is a SIGINT for each process of a group; timeout(1) sends SIGTERM to one.
 */
final class SignalMaskedCommandTest extends TestCase
{
    private const ASKING = <<<'PHP'
        <?php
        require $argv[1];
        pcntl_async_signals(true);
        pcntl_signal((int) $argv[3], static function (): void { echo 'seen '; });
        // No shell: some let all signals through when they start.
        $code = 'touch("$argv[1]/asked"); while (! file_exists("$argv[1]/signalled")) { clearstatcache(); usleep(5000); } echo "answered\\n";';
        $asked = new Symfony\Component\Process\Process([PHP_BINARY, '-n', '-r', $code, $argv[2]]);
        echo Headroom\Process\SignalMaskedCommand::run($asked), ' ', $asked->getOutput();
        PHP;

    #[Test]
    #[TestWith([2], 'SIGINT')]
    #[TestWith([15], 'SIGTERM')]
    #[RequiresPhpExtension('pcntl')]
    #[RequiresPhpExtension('posix')]
    public function a_program_that_is_asked_answers_although_its_group_got_a_signal(int $signal): void
    {
        $directory = TemporaryDirectory::create('uninterrupted');
        // In a group of its own, since the signal is for all of it.
        $process = new Process([
            'setsid',
            PHP_BINARY,
            $directory->write('asking.php', self::ASKING),
            dirname(__DIR__, 3).'/vendor/autoload.php',
            $directory->path,
            (string) $signal,
        ]);
        $process->start();

        try {
            Patience::until(static fn (): bool => file_exists($directory->file('asked')), 'the program is asked');
            posix_kill(-(int) $process->getPid(), $signal);
            $directory->write('signalled', '');
            $process->wait();

            self::assertSame("seen 0 answered\n", $process->getOutput(), $process->getErrorOutput());
        } finally {
            $process->stop(0);
            $directory->remove();
        }
    }

    #[Test]
    public function a_program_that_crashes_has_a_code_as_in_a_shell(): void
    {
        self::assertSame(
            [139, 7],
            [
                SignalMaskedCommand::run(new Process(['/bin/sh', '-c', 'kill -SEGV $$'])),
                SignalMaskedCommand::run(new Process(['/bin/sh', '-c', 'exit 7'])),
            ],
        );
    }
}
