<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\Alerts\AlertFile;
use Headroom\Spool\Alerts\ChannelRecord;
use Headroom\Spool\Alerts\UnableToRecord;
use Headroom\Tests\Laravel\Support\AlertsTestCase;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\After;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * The file that keeps a message from being sent twice, and what others may have done to it.
 */
final class AlertStateTest extends AlertsTestCase
{
    #[After]
    public function removeTemporaryFile(): void
    {
        array_map(unlink(...), array_filter((array) glob($this->temporary()), is_string(...)));
    }

    private function temporary(): string
    {
        return rtrim(sys_get_temp_dir(), '/').'/headroom-alerts-*-'.substr(hash('sha256', $this->spool->path), 0, 16);
    }

    private function file(): string
    {
        return "{$this->spool->path}/".AlertFile::NAME;
    }

    private function reported(): string
    {
        $this->spool->add(1);
        $this->breakSink();
        $this->failTwice();
        $this->check();
        self::assertSame(['A bucket has stopped'], $this->subjects());

        return (string) file_get_contents($this->file());
    }

    /** @return iterable<string, array{int}> */
    public static function damages(): iterable
    {
        for ($i = 0; $i < Sample::number(3, 40); $i++) {
            $seed = Sample::seed() + $i;

            yield "seed {$seed}" => [$seed];
        }
    }

    #[Test]
    #[DataProvider('damages')]
    public function a_damaged_file_stands_for_nothing_reported(int $seed): void
    {
        $random = new Randomizer(new Mt19937($seed));
        $good = $this->reported();
        self::assertSame([], $this->check());

        foreach ([
            '', $random->getBytes(20_000), substr($good, 0, $random->getInt(1, 100)),
            self::flipped($good, $random->getInt(0, (int) strpos($good, '   ') - 1), $random), '{}', "[[1]]\n",
            str_replace('mail', 'liam', $good), "headroom-alerts 1 00000000 0\n",
        ] as $number => $damaged) {
            file_put_contents($this->file(), $damaged);
            self::assertSame([], $this->check(), 'It is seen for the first time.');
            $this->pass(60);
            self::assertSame(['mail' => null], $this->check(), "damage {$number}");
            self::assertSame([], $this->check(), "after damage {$number}");
        }
    }

    private static function flipped(string $text, int $at, Randomizer $random): string
    {
        $text[$at] = chr(ord($text[$at]) ^ (1 << $random->getInt(0, 7)));

        return $text;
    }

    #[Test]
    public function a_foreign_file_is_left_alone_and_each_message_is_sent_once(): void
    {
        $this->spool->add(1);
        $other = $this->spool->file('other');
        file_put_contents($other, 'of another program');
        symlink($other, $this->file());
        $this->breakSink();
        $this->failTwice();

        self::assertSame(['mail' => null], $this->check());
        self::assertSame([], $this->check());
        self::assertSame('of another program', file_get_contents($other));
        self::assertCount(1, (array) glob($this->temporary()));
        self::assertTrue(is_link($this->file()));
    }

    /** @return iterable<string, array{callable(string): mixed}> */
    public static function obstacles(): iterable
    {
        yield 'a directory' => [mkdir(...)];
        yield 'a link to a file' => [static fn (string $path): bool => symlink(__FILE__, $path)];
        yield 'a link to nothing' => [static fn (string $path): bool => symlink("{$path}.none", $path)];
    }

    /** @param callable(string): mixed $obstruct */
    #[Test]
    #[DataProvider('obstacles')]
    public function a_scheduled_check_has_its_turn_without_the_file(callable $obstruct): void
    {
        $this->spool->add(1);
        $obstruct($this->file());
        $this->pass(3600);
        self::assertTrue($this->services()->file()->claimTurn(50));
        self::assertFalse($this->services()->file()->claimTurn(50));
        $this->pass(50);
        self::assertTrue($this->services()->file()->claimTurn(50));
    }

    #[Test]
    public function a_problem_of_the_root_is_over_when_the_file_is_usable_again(): void
    {
        $this->deadLetters(1);
        $this->check();
        self::assertSame(['Dead letters'], $this->subjects());
        $node = (string) file_get_contents("{$this->spool->path}/node");

        for ($outage = 0; $outage < 2; $outage++) {
            $this->pass(7200);
            file_put_contents("{$this->spool->path}/node", 'damaged');
            rename($this->file(), "{$this->spool->path}/headroom-away");
            mkdir($this->file());
            $this->check();
            $this->pass(60);
            $this->check();
            self::assertSame(['A bucket has stopped'], $this->subjects(), "outage {$outage}");
            self::assertSame([], $this->check());

            file_put_contents("{$this->spool->path}/node", $node);
            rmdir($this->file());
            rename("{$this->spool->path}/headroom-away", $this->file());
            $this->check();
            self::assertSame(['All well again'], $this->subjects(), "end {$outage}");
            self::assertSame([], $this->check());
            self::assertSame([], glob($this->temporary()));
        }
    }

    #[Test]
    public function a_file_that_another_user_put_into_the_temporary_directory_stops_no_check(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root can give a file to another user.');
        }

        $this->spool->add(1);
        $planted = str_replace('*', '0', $this->temporary());
        file_put_contents($planted, '.');
        touch($planted, $this->now());
        chown($planted, 65_534);
        self::assertTrue($this->services()->file()->claimTurn(50));
        self::assertSame([], $this->check());
        self::assertFileExists($planted);
    }

    #[Test]
    public function without_a_place_for_the_file_nothing_is_sent(): void
    {
        $this->spool->add(1);
        $this->breakSink();
        $this->failTwice();
        unlink($this->file());
        mkdir($this->file());
        $temporary = str_replace('*', (string) posix_geteuid(), $this->temporary());
        symlink($this->spool->file('nowhere'), $temporary);

        try {
            $this->check();
            self::fail('It could not be recorded.');
        } catch (UnableToRecord $e) {
            self::assertStringContainsString($this->file(), $e->getMessage());
        }

        self::assertSame([], $this->mails());
    }

    #[Test]
    public function the_file_has_its_size_before_there_is_a_problem(): void
    {
        $this->spool->add(1);
        $this->flush();
        $this->check();
        $inode = (int) fileinode($this->file());
        $size = (int) filesize($this->file());
        self::assertGreaterThanOrEqual(16_384, $size);

        $this->reported();
        clearstatcache();
        self::assertSame([$inode, $size], [fileinode($this->file()), filesize($this->file())]);
    }

    #[Test]
    public function a_process_that_died_while_it_sent_is_followed_by_another(): void
    {
        $this->spool->add(1);
        $this->breakSink();
        $this->failTwice();
        $this->services()->file()->update(
            fn (array $records): array => array_map(
                fn (ChannelRecord $record): ChannelRecord => $record->claimed($this->now()),
                $records,
            ),
        );
        self::assertSame([], $this->check(), 'Another process sends.');
        $this->pass(ChannelRecord::CLAIM_SECONDS);
        self::assertSame(['mail' => null], $this->check());
        self::assertStringContainsString("channel 'mail' hung", implode("\n", $this->spool->logged));
    }

    #[Test]
    public function the_turn_of_a_minute_is_claimed_once(): void
    {
        $this->spool->add(1);
        $file = $this->services()->file();
        self::assertTrue($file->claimTurn(50));
        self::assertFalse($this->services()->file()->claimTurn(50));
        $this->check();
        self::assertFalse($this->services()->file()->isDue(50));
        $this->pass(50);
        self::assertTrue($this->services()->file()->claimTurn(50));

        $this->pass(-86_400);
        self::assertTrue($this->services()->file()->claimTurn(50), 'The clock was set back.');
    }

    #[Test]
    public function a_clock_that_was_set_back_by_a_year_hides_no_problem(): void
    {
        $this->spool->add(1);
        $this->flush();
        $this->check();
        $this->limit(65_536);
        $this->spool->add(1);
        $this->breakSink();
        $this->flush();
        $sealed = (string) ((array) glob("{$this->spool->path}/buckets/api-events/sealed/*"))[0];
        file_put_contents($sealed, str_repeat("\0", 60_000), FILE_APPEND);
        $this->check();
        self::assertSame(['Disk space is short'], $this->subjects());
        file_put_contents($sealed, '');
        $this->check();
        $this->mails();

        $this->pass(-31_536_000);
        file_put_contents($sealed, str_repeat("\0", 60_000));
        $this->check();
        self::assertContains('Disk space is short', $this->subjects());
    }

    private function now(): int
    {
        return intdiv($this->clock->micros, 1_000_000);
    }
}
