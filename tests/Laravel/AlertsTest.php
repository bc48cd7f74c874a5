<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\AlertsTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * Which problems are reported, how often, and when they are over. Flushes, sinks and mails are real.
 */
final class AlertsTest extends AlertsTestCase
{
    #[Test]
    public function a_failing_bucket_is_reported_once_and_its_end_once(): void
    {
        $this->spool->add(1);
        $this->breakSink();
        self::assertSame(1, $this->flush());
        self::assertSame([], $this->check(), 'One failure may be over in a second.');

        $this->pass(60);
        self::assertSame([], $this->check(), 'The flush of this minute may succeed.');
        $this->flush();
        $this->pass(60);
        self::assertSame(['mail' => null], $this->check());
        [$mail] = $this->mails();
        self::assertSame(self::MAILBOX, $mail->getTo()[0]->getAddress());
        self::assertStringContainsString('php artisan spool:flush api-events --now', (string) $mail->getTextBody());
        self::assertStringContainsString('no such table', (string) $mail->getTextBody());

        for ($minute = 0; $minute < 200; $minute++) {
            $this->pass(60);
            self::assertSame([], $this->check());
        }

        $this->repairSink();
        self::assertSame(0, $this->flush());
        $this->check();
        $this->pass(60);
        $this->check();
        self::assertSame(['All well again'], $this->subjects());
    }

    #[Test]
    public function all_new_problems_are_in_one_message(): void
    {
        $this->spool->buckets['other'] = ['sink' => 'database', 'table' => 'missing'];
        $this->spool->add(1);
        $this->spool->add(1, 'other');
        $this->breakSink();
        $this->flush();
        $this->flush('other');
        $this->pass(60);
        $this->check();
        $this->pass(60);

        $this->check();
        [$mail] = $this->mails();
        self::assertStringContainsString('bucket api-events', (string) $mail->getTextBody());
        self::assertStringContainsString('bucket other', (string) $mail->getTextBody());

        $this->repairSink();
        $this->flush();
        self::assertSame([], $this->check(), 'The other one still fails.');
        $this->spool->createEvents('missing');
        $this->flush('other');
        $this->check();
        [$mail] = $this->mails();
        self::assertStringContainsString('bucket api-events', (string) $mail->getTextBody());
        self::assertStringContainsString('bucket other', (string) $mail->getTextBody());
    }

    #[Test]
    public function a_bucket_that_fails_and_recovers_sends_two_messages_an_hour(): void
    {
        for ($time = 0; $time < 7; $time++) {
            $this->spool->add(1);
            $this->breakSink();
            $this->failTwice();
            $this->check();
            $this->repairSink();
            $this->flush();
            $this->check();
            $this->pass(240);
        }

        self::assertSame(['A bucket has stopped', 'All well again'], $this->subjects());

        $this->pass(3600);
        $this->spool->add(1);
        $this->breakSink();
        $this->failTwice();
        $this->check();
        self::assertSame(['A bucket has stopped'], $this->subjects());
    }

    #[Test]
    public function a_failure_that_comes_back_and_lasts_is_reported_after_the_hour(): void
    {
        $this->spool->add(1);
        $this->breakSink();
        $this->failTwice();
        $this->check();
        $this->repairSink();
        $this->flush();
        $this->check();
        $this->mails();

        $this->spool->add(1);
        $this->breakSink();
        $this->failTwice();
        $minutes = 0;

        do {
            $this->pass(60);
            $minutes++;
        } while ($this->check() === [] && $minutes < 100);

        self::assertSame(['A bucket has stopped'], $this->subjects());
        self::assertSame(58, $minutes);
    }

    #[Test]
    public function only_new_dead_letters_are_reported_and_old_ones_hide_no_recovery(): void
    {
        $this->deadLetters(1);
        $this->check();
        [$mail] = $this->mails();
        self::assertStringContainsString('php artisan spool:failed api-events', (string) $mail->getTextBody());

        $this->pass(4000);
        self::assertSame([], $this->check(), 'They are old.');
        $this->spool->add(1);
        $this->flush();
        $this->check();
        self::assertSame(['Dead letters'], $this->subjects());

        $this->spool->add(1);
        $this->flush();
        self::assertSame([], $this->check(), 'It is within the hour.');
        $this->pass(3600);
        $this->check();
        self::assertSame(['Dead letters'], $this->subjects());

        $this->spool->add(2);
        $this->breakSink();
        $this->failTwice();
        $this->check();
        $this->repairSink();
        $this->flush();
        $this->check();
        [$stopped, $well] = $this->mails();
        self::assertStringContainsString('A bucket has stopped', (string) $stopped->getSubject());
        self::assertStringContainsString('All well again', (string) $well->getSubject());
        self::assertStringContainsString('Still there: bucket api-events', (string) $well->getTextBody());
    }

    #[Test]
    public function letters_that_are_gone_are_the_end_of_the_problem(): void
    {
        $this->deadLetters(3);
        $this->check();
        self::assertSame(['Dead letters'], $this->subjects());

        $letters = (array) glob("{$this->spool->path}/buckets/api-events/dead/*");
        array_map(unlink(...), array_filter($letters, is_string(...)));
        $this->check();
        self::assertSame(['All well again'], $this->subjects());

        // Fewer than before, and new all the same.
        $this->pass(3600);
        $this->spool->add(1);
        $this->flush();
        $this->check();
        self::assertSame(['Dead letters'], $this->subjects());
    }

    /** Counted by the system calls of this process: a read of each would be more. */
    #[Test]
    public function a_hundred_thousand_dead_letters_are_counted_and_not_read(): void
    {
        $this->spool->add(1);
        $this->flush();
        $dead = "{$this->spool->path}/buckets/api-events/dead";
        is_dir($dead) || mkdir($dead);

        for ($i = 0; $i < 100_000; $i++) {
            touch(sprintf('%s/%020d-%020d-%05d.json', $dead, 0, 0, $i));
        }

        $before = self::reads();
        $this->check();
        self::assertLessThan(20_000, self::reads() - $before);
        [$mail] = $this->mails();
        self::assertStringContainsString('100000 dead letters', (string) $mail->getTextBody());
    }

    #[Test]
    public function events_without_a_flush_are_reported_after_the_minutes_of_the_setting(): void
    {
        $this->configure(['mail' => self::MAILBOX, 'after' => '7']);
        $this->spool->runtime($this->clock)->buffer()->bucket('api-events')->add(['event' => 'a']);
        $minutes = 0;

        do {
            $this->pass(60);
            $minutes++;
        } while ($this->check() === [] && $minutes < 30);

        // A minute and a half later: the flush after a reboot or a deployment comes within a minute.
        self::assertSame(10, $minutes);
        [$mail] = $this->mails();
        self::assertStringContainsString('Nothing delivers', (string) $mail->getSubject());
        self::assertStringContainsString('php artisan spool:flush api-events', (string) $mail->getTextBody());
    }

    #[Test]
    public function events_that_waited_while_the_machine_was_off_are_no_problem(): void
    {
        $this->spool->runtime($this->clock)->buffer()->bucket('api-events')->add(['event' => 'a']);
        $this->pass(36_000);
        self::assertSame([], $this->check());
        $this->flush();
        $this->pass(100);
        self::assertSame([], $this->check());
    }

    #[Test]
    public function a_disk_that_runs_short_is_reported_before_events_are_refused(): void
    {
        $this->spool->add(1);
        $this->flush();
        $free = (int) disk_free_space($this->spool->path);
        $this->spool->settings = ['min_free_bytes' => intdiv($free * 3, 4)];
        $this->check();
        [$mail] = $this->mails();
        self::assertStringContainsString('Disk space is short', (string) $mail->getSubject());
        self::assertStringContainsString('the buffer refuses events', (string) $mail->getTextBody());

        $this->spool->settings = ['min_free_bytes' => 0];
        $this->check();
        self::assertSame(['All well again'], $this->subjects());
    }

    #[Test]
    public function a_bucket_that_is_full_is_short_of_space(): void
    {
        $this->limit(1_048_576);
        $this->spool->add(1);
        $this->breakSink();
        $this->flush();
        $active = (array) glob("{$this->spool->path}/buckets/api-events/sealed/*");
        self::assertCount(1, $active);
        file_put_contents((string) $active[0], str_repeat("\0", 1_000_000), FILE_APPEND);
        $this->check();

        self::assertSame(['Disk space is short'], $this->subjects());
    }

    #[Test]
    public function a_state_file_that_cannot_be_read_stops_the_bucket(): void
    {
        $this->spool->add(1);
        $this->flush();
        $state = "{$this->spool->path}/buckets/api-events/state";
        $content = (string) file_get_contents($state);
        file_put_contents($state, 'damaged');
        $this->check();
        $this->pass(60);
        $this->check();
        [$mail] = $this->mails();
        self::assertStringContainsString('A bucket has stopped', (string) $mail->getSubject());
        self::assertStringContainsString('php artisan spool:verify api-events', (string) $mail->getTextBody());

        file_put_contents($state, $content);
        $this->check();
        self::assertSame(['All well again'], $this->subjects());
    }

    #[Test]
    public function a_root_that_cannot_be_used_is_reported_once(): void
    {
        $this->spool->add(1);
        $this->flush();
        $this->check();
        $node = (string) file_get_contents("{$this->spool->path}/node");
        file_put_contents("{$this->spool->path}/node", 'damaged');

        for ($minute = 0; $minute < 3; $minute++) {
            $this->check();
            $this->pass(60);
        }

        self::assertSame(['A bucket has stopped'], $this->subjects());
        file_put_contents("{$this->spool->path}/node", $node);
        $this->check();
        self::assertSame(['All well again'], $this->subjects());
    }

    #[Test]
    public function a_fork_is_reported_with_its_command(): void
    {
        $this->spool->add(1);
        $this->flush();
        exec('cp -a '.escapeshellarg($this->spool->path).' '.escapeshellarg("{$this->spool->path}.copy"));
        $this->spool->add(1);
        $this->flush();
        exec('rm -r '.escapeshellarg($this->spool->path));
        rename("{$this->spool->path}.copy", $this->spool->path);
        $this->spool->add(2);
        self::assertSame(1, $this->flush());
        $this->check();
        [$mail] = $this->mails();

        self::assertStringContainsString('A disk was copied or restored', (string) $mail->getSubject());
        self::assertStringContainsString('php artisan spool:new-id', (string) $mail->getTextBody());
    }

    /** @return int read calls of this process so far */
    private static function reads(): int
    {
        return preg_match('/^syscr: (\d+)$/m', (string) file_get_contents('/proc/self/io'), $m) === 1
            ? (int) $m[1]
            : self::markTestSkipped('The kernel does not count the reads of a process.');
    }
}
