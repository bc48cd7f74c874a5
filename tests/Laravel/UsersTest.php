<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use FilesystemIterator;
use Headroom\Tests\Laravel\Support\Person;
use Headroom\Tests\Laravel\Support\UsersTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * Requests run as www-data, and the scheduler as nobody.
 */
#[Group('snapshot')]
final class UsersTest extends UsersTestCase
{
    #[Test, Group('day-1')]
    #[TestWith(['0700', '0600', '000'])]
    #[TestWith(['0700', '0600', '077'])]
    #[TestWith(['02770', '0660', '000'])]
    #[TestWith(['02770', '0660', '077'])]
    public function everything_has_exactly_the_configured_modes_with_any_umask(
        string $directory,
        string $file,
        string $umask,
    ): void {
        $this->configure($directory, $file);
        $person = Person::webServer()->withUmask($umask);
        $this->ok($person, 'app:buffer', '2');
        $this->damageTheSlot();
        $flushed = $this->app->artisanAs($person, 'spool:flush');
        self::assertSame(0, $flushed->exit, $flushed->all());
        $this->ok($person, 'app:buffer', '1');

        $seen = [];

        foreach ($this->entries() as $path => $entry) {
            self::assertSame($entry->isDir() ? $directory : $file, sprintf('0%o', $entry->getPerms() & 0o7777), $path);
            $seen[] = preg_replace('~\d{20}~', '#', $path);
        }

        sort($seen);
        self::assertSame([
            '', 'buckets', 'buckets/api-events', 'buckets/api-events/active', 'buckets/api-events/active/u33-0000.log',
            'buckets/api-events/completed',
            'buckets/api-events/completed/#.seg', 'buckets/api-events/counters', 'buckets/api-events/dead',
            'buckets/api-events/flush.lock', 'buckets/api-events/history', 'buckets/api-events/quarantine',
            'buckets/api-events/quarantine/#-#.bin', 'buckets/api-events/sealed', 'buckets/api-events/state',
            'heartbeat', 'node',
        ], $seen);
    }

    #[Test, Group('day-1')]
    #[TestDox('another user owns an active segment')]
    public function with_default_modes_another_user_s_flush_fails_loudly_and_nothing_is_lost(): void
    {
        $this->ok(Person::webServer(), 'app:buffer', '2');

        foreach (['spool:flush', 'spool:health', 'spool:status', 'spool:clean'] as $command) {
            $refused = $this->app->artisanAs(Person::other(), $command);
            self::assertSame(1, $refused->exit, $command.$refused->all());
            self::assertStringContainsString('www-data (uid 33)', $refused->all(), $command);
            self::assertStringContainsString('nobody (uid 65534)', $refused->all(), $command);
            self::assertStringNotContainsString('..', $refused->all(), $command);
        }

        self::assertStringContainsString(
            'usermod -aG www-data nobody',
            $this->app->artisanAs(Person::other(), 'spool:flush')->err,
        );
        self::assertSame(0, $this->delivered());

        $healthy = $this->ok(Person::webServer(), 'spool:health');
        self::assertMatchesRegularExpression('/www-data \(uid 33\).* dir_mode 0700 /', $healthy->out);
        Snapshot::assertPrinted('spool:health', 'one user only', $healthy->out);

        $this->ok(Person::webServer(), 'spool:flush');
        self::assertSame(2, $this->delivered());
    }

    #[Test]
    public function for_a_sink_s_file_of_another_user_health_does_not_suggest_mkdir(): void
    {
        $this->app->config(
            'spool',
            "['path' => '{$this->buffer}', 'buckets' => ['audit' => ['sink' => 'file', 'path' =>"
                ." storage_path('audit.ndjson')]]]",
        );
        $this->app->write('storage/audit.ndjson', '');
        chmod($this->app->path('storage/audit.ndjson'), 0o644);
        $health = $this->app->artisanAs(Person::webServer(), 'spool:health');

        self::assertStringContainsString($this->app->path('storage/audit.ndjson'), $health->out);
        self::assertStringNotContainsString('mkdir', $health->out);
        Snapshot::assertPrinted('spool:health', 'a file of another user', $health->out);
    }

    #[Test]
    public function the_failure_of_a_scheduled_flush_is_in_the_log(): void
    {
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $this->app->artisanAs(Person::other(), 'spool:flush');

        self::assertMatchesRegularExpression("/spool: .*'api-events' .*nobody \\(uid 65534\\)/", $this->app->log());
    }

    #[Test, Group('day-2')]
    public function after_the_fix_that_the_message_names_both_users_can_do_everything(): void
    {
        $this->ok(Person::webServer(), 'app:buffer', '2');
        $this->ok(Person::webServer(), 'spool:flush');
        $this->ok(Person::webServer(), 'app:buffer', '2');

        $health = $this->app->artisanAs(Person::other(), 'spool:health')->out;
        self::assertMatchesRegularExpression('/dir_mode .*02770.*file_mode .*0660/', $health);
        $this->carryOut($health, 'usermod');
        $this->configure('02770', '0660');

        // A user with the group that usermod would have added to the user nobody.
        $other = Person::other(['www-data'])->withUmask('077');
        $this->ok($other, 'spool:flush');
        self::assertSame(4, $this->delivered());
        $this->ok($other, 'app:buffer', '1');
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $this->ok(Person::webServer(), 'spool:flush');
        $this->ok($other, 'spool:flush');
        self::assertSame(6, $this->delivered());

        foreach ([$other, Person::webServer()] as $person) {
            $this->ok($person, 'spool:health');
            $this->ok($person, 'spool:status');
            $this->ok($person, 'spool:clean', '--older-than=0');
        }
    }

    #[Test, Group('day-3')]
    #[TestWith([true])]
    #[TestWith([false])]
    public function in_a_shared_directory_either_user_may_come_first(bool $webServerFirst): void
    {
        mkdir($this->buffer);
        chgrp($this->buffer, 'www-data');
        chmod($this->buffer, 0o2770);
        $this->configure('02770', '0660');
        $people = [Person::webServer()->withUmask('077'), Person::other(['www-data'])->withUmask('077')];
        [$first, $second] = $webServerFirst ? $people : array_reverse($people);

        $this->ok($first, 'app:buffer', '1');
        $this->ok($second, 'app:buffer', '1');
        $this->ok($second, 'spool:flush');
        $this->ok($first, 'app:buffer', '1');
        $this->ok($first, 'spool:flush');
        $this->ok($second, 'app:buffer', '1');
        $this->ok($first, 'spool:flush');

        self::assertSame(4, $this->delivered());
        $this->ok($first, 'spool:health');
        $this->ok($second, 'spool:health');
    }

    #[Test, Group('day-3')]
    public function a_directory_that_cannot_be_made_is_named_with_the_command_for_it(): void
    {
        chmod($this->app->path('shared'), 0o755);
        $health = $this->app->artisanAs(Person::webServer(), 'spool:health');
        self::assertSame(1, $health->exit);
        self::assertStringContainsString(" FAIL  {$this->buffer}: ", $health->out);
        self::assertSame(1, $this->app->artisanAs(Person::webServer(), 'spool:install')->exit);

        $this->carryOut($health->out, 'mkdir');
        $this->ok(Person::webServer(), 'spool:health');
        $this->ok(Person::webServer(), 'app:buffer', '1');
    }

    #[Test]
    public function a_closed_directory_above_is_named_with_the_command_that_opens_it(): void
    {
        chmod($this->app->path('shared'), 0o700);
        $health = $this->app->artisanAs(Person::webServer(), 'spool:health');
        self::assertSame(1, $health->exit);
        Snapshot::assertPrinted('spool:health', 'a directory above is closed', $health->out);

        $this->carryOut($health->out, 'chmod');
        self::assertStringNotContainsString('`chmod ', $this->app->artisanAs(Person::webServer(), 'spool:health')->out);
    }

    #[Test, Group('day-2')]
    public function numbers_without_the_files_of_another_user_are_called_too_small(): void
    {
        mkdir($this->buffer);
        chgrp($this->buffer, 'www-data');
        chmod($this->buffer, 0o2770);
        $this->configure('02770', '0660');
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $slot = (string) ((array) glob("{$this->buffer}/*/api-events/active/*.log"))[0];
        chmod($slot, 0o600);

        $status = $this->app->artisanAs(Person::other(['www-data']), 'spool:status');
        self::assertSame(1, $status->exit);
        self::assertMatchesRegularExpression('~\b1 .*'.preg_quote($slot, '~').'~', $status->out);
        Snapshot::assertPrinted('spool:status', 'a slot cannot be read', $status->out);

        $health = $this->app->artisanAs(Person::other(['www-data']), 'spool:health');
        self::assertStringContainsString(" FAIL  {$slot}: ", $health->out);
    }

    #[Test]
    public function health_finds_directories_older_than_the_wider_modes_and_its_fix_helps(): void
    {
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $this->configure('02770', '0660');

        $health = $this->app->artisanAs(Person::webServer(), 'spool:health');
        self::assertSame(1, $health->exit);
        self::assertMatchesRegularExpression('/ 0700\b.* dir_mode .*02770/', $health->out);
        $this->carryOut($health->out, 'find');

        $this->ok(Person::webServer(), 'spool:health');
    }

    #[Test, Group('day-1')]
    public function a_user_that_may_count_but_not_write_a_slot_counts_direct_events(): void
    {
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $this->ok(Person::webServer(), 'spool:flush');
        chmod("{$this->buffer}/buckets/api-events/active", 0o500);
        $this->ok(Person::webServer(), 'app:buffer', '3');
        chmod("{$this->buffer}/buckets/api-events/active", 0o700);

        self::assertSame(4, $this->delivered());
        self::assertSame(1, substr_count($this->app->log(), ' (not_permitted)'), $this->app->log());
        $status = json_decode(
            $this->ok(Person::webServer(), 'spool:status', '--json')->out,
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertIsArray($status);
        $bucket = ((array) $status['buckets'])[0] ?? null;
        self::assertIsArray($bucket);
        self::assertSame(
            [4, 4, 3, 0, 'not_permitted'],
            [$bucket['accepted'], $bucket['delivered'], $bucket['direct'], $bucket['missing'], $bucket['refusing']],
        );
    }

    #[Test, Group('day-1')]
    public function a_user_that_may_not_even_count_has_one_line_a_minute(): void
    {
        mkdir($this->buffer, 0o700);

        foreach ([1, 2, 3] as $events) {
            $this->ok(Person::webServer(), 'app:buffer', (string) $events);
        }

        self::assertSame(6, $this->delivered());
        self::assertSame(1, substr_count($this->app->log(), ' (not_permitted)'), $this->app->log());
    }

    /** One byte of the first event, so that the flush has something to put into quarantine. */
    private function damageTheSlot(): void
    {
        $slots = (array) glob("{$this->buffer}/*/api-events/active/*.log");
        $content = (string) file_get_contents((string) $slots[0]);
        file_put_contents((string) $slots[0], str_replace('console-0', 'console_0', $content));
    }

    /** @return array<string, SplFileInfo> by path below the buffer */
    private function entries(): array
    {
        $entries = ['' => new SplFileInfo($this->buffer)];

        foreach (new RecursiveIteratorIterator(
            new RecursiveDirectoryIterator($this->buffer, FilesystemIterator::SKIP_DOTS),
            RecursiveIteratorIterator::SELF_FIRST,
        ) as $entry) {
            if ($entry instanceof SplFileInfo) {
                $entries[substr($entry->getPathname(), strlen($this->buffer) + 1)] = $entry;
            }
        }

        return $entries;
    }
}
