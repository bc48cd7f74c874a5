<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process\Supervision;

use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Forks of a process of their own, so that no fork has a copy of PHPUnit.
 */
#[RequiresPhpExtension('pcntl')]
#[RequiresPhpExtension('posix')]
final class ForkedProcessesTest extends TestCase
{
    #[Test]
    public function each_fork_notices_the_death_of_its_supervisor_while_its_siblings_run(): void
    {
        // The forks are started one after the other, so the later ones have copies of what the earlier ones were given.
        $lines = $this->printed(<<<'PHP'
            $processes = new Headroom\Process\Supervision\ForkedProcesses;
            $work = static function (Headroom\Process\Supervision\Channel $supervisor): int {
                $supervisor->next(5);
                $closed = $supervisor->isClosed() ? 'closed' : 'open';
                fwrite(STDOUT, "{$closed}\n");
                sleep(10);

                return 0;
            };
            $handles = [$processes->start('one', $work), $processes->start('two', $work), $processes->start('three', $work)];
            fwrite(STDOUT, implode(' ', array_map(static fn ($handle) => $handle->pid, $handles))."\n");
            posix_kill(getmypid(), 9);
            PHP, 4);
        sort($lines);
        $pids = explode(' ', $lines[0]);
        array_map(static fn (string $pid): bool => posix_kill((int) $pid, 9), $pids);

        self::assertCount(3, $pids);
        self::assertSame(['closed', 'closed', 'closed'], array_slice($lines, 1));
    }

    #[Test]
    public function exits_messages_and_signals_go_between_a_fork_and_its_supervisor(): void
    {
        $lines = $this->printed(<<<'PHP'
            $processes = new Headroom\Process\Supervision\ForkedProcesses;
            $one = $processes->start('one', static function (Headroom\Process\Supervision\Channel $supervisor): int {
                $supervisor->send('answer', $supervisor->next()?->content);

                return 7;
            });
            $other = $processes->start('other', static fn (): int => sleep(30));
            $one->channel->send('question', 'hello');
            $other->signal(9);

            while ($one->exit() === null || $other->exit() === null) {
                usleep(1000);
            }

            [$message] = $one->channel->receive();
            fwrite(STDOUT, json_encode([$message, $one->exit(), $other->exit()->signal])."\n");
            PHP, 1);

        self::assertSame(
            '[{"type":"answer","content":"hello"},{"code":7,"signal":null},9]',
            $lines[0],
        );
    }

    /** @return list<string> the first lines that the program and its forks print */
    private function printed(string $code, int $lines): array
    {
        $program = proc_open(
            [PHP_BINARY, '-r', "require \$argv[1]; {$code}", '--', dirname(__DIR__, 4).'/vendor/autoload.php'],
            [1 => ['pipe', 'w']],
            $pipes,
        );
        self::assertNotFalse($program);
        $output = $pipes[1] ?? null;
        self::assertIsResource($output);
        $printed = array_map(static fn (): string => rtrim((string) fgets($output), "\n"), range(1, $lines));
        fclose($output);
        proc_close($program);

        return $printed;
    }
}
