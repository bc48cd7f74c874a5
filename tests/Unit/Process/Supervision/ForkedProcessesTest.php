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
        // The later forks could have copies of the channels of the earlier ones. Each fork runs until all have noticed.
        $lines = Program::printed(<<<'PHP'
            $processes = new Headroom\Process\Supervision\ForkedProcesses;
            $noticed = tmpfile();
            $work = static function (Headroom\Process\Supervision\Channel $supervisor) use ($noticed): int {
                $supervisor->next(10);
                $closed = $supervisor->isClosed() ? 'closed' : 'open';
                fwrite(STDOUT, "{$closed}\n");
                fwrite($noticed, '.');

                for ($tries = 0; $tries < 400 && fstat($noticed)['size'] < 3; $tries++) {
                    usleep(50_000);
                }

                return 0;
            };
            $start = static fn (string $name): int => $processes->start($name, $work)->pid;
            fwrite(STDOUT, implode(' ', array_map($start, ['one', 'two', 'three']))."\n");
            posix_kill(getmypid(), 9);
            PHP);
        sort($lines);
        $pids = explode(' ', $lines[0]);

        self::assertCount(3, $pids);
        self::assertSame(['closed', 'closed', 'closed'], array_slice($lines, 1));
    }

    #[Test]
    public function exits_messages_and_signals_go_between_a_fork_and_its_supervisor(): void
    {
        $lines = Program::printed(<<<'PHP'
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
            PHP);

        self::assertSame(
            '[{"type":"answer","content":"hello"},{"code":7,"signal":null},9]',
            $lines[0],
        );
    }

    #[Test]
    public function a_later_fork_takes_no_message_that_its_supervisor_has_not_read(): void
    {
        $lines = Program::printed(<<<'PHP'
            $processes = new Headroom\Process\Supervision\ForkedProcesses;
            $one = $processes->start('one', static function (Headroom\Process\Supervision\Channel $supervisor): int {
                $supervisor->send('answer', 'hello');

                return $supervisor->next() === null ? 7 : 8;
            });
            [$read, $write, $except] = [[$one->channel->stream()], null, null];
            stream_select($read, $write, $except, 30);
            $other = $processes->start('other', static fn (): int => 0);

            while ($other->exit() === null) {
                usleep(1000);
            }

            fwrite(STDOUT, json_encode($one->channel->receive())."\n");
            $one->channel->close();
            PHP);

        self::assertSame('[{"type":"answer","content":"hello"}]', $lines[0]);
    }
}
