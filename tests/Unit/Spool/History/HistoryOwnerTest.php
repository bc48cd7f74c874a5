<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\History;

use Headroom\Core\Finding;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Health\AccessIsDenied;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Spool\History\HistoryWriter;
use Headroom\Support\EffectiveUser;
use Headroom\Tests\Laravel\Support\SteppingClock;
use PHPUnit\Framework\Attributes\Test;

/**
 * The history of a buffer that several users flush.
 */
final class HistoryOwnerTest extends HistoryTestCase
{
    #[Test]
    public function the_file_has_the_mode_of_the_configuration_and_the_owner_of_its_directory(): void
    {
        $umask = umask(0022);
        $directory = dirname($this->history->path);
        $owner = posix_geteuid() === 0 ? 12_345 : posix_geteuid();
        @chown($directory, $owner);
        $this->history = HistoryFile::of(
            new Layout($this->directory->path, 'events'),
            new Permissions(0770, 0660),
        );
        $this->add(new HistoryMinute(self::MINUTE, events: 3));
        umask($umask);
        clearstatcache();

        self::assertSame(0660, (int) fileperms($this->history->path) & 0777);
        self::assertSame($owner, fileowner($this->history->path));
    }

    #[Test]
    public function the_health_checks_report_a_file_of_another_user(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root can give a file away.');
        }

        $layout = new Layout($this->directory->path, 'events');
        $check = new AccessIsDenied($this->directory->path, new Permissions(0700, 0600), [$layout]);
        $this->add(new HistoryMinute(self::MINUTE, events: 3));
        $this->assertWarnings(0, $check->findings());

        chown($this->history->path, 12_345);
        $this->assertWarnings(1, $check->findings());
    }

    #[Test]
    public function a_file_of_another_user_that_denies_access_is_left_alone(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root can be two users.');
        }

        $this->add(new HistoryMinute(self::MINUTE, events: 3));
        $directory = dirname($this->history->path);
        chmod($this->directory->path, 0755);
        chmod("{$this->directory->path}/buckets", 0755);
        chown($directory, 12_345);
        EffectiveUser::of(12_345, 12_345)->during(function (): void {
            self::assertNull(HistoryWriter::open($this->history, new SteppingClock));
            self::assertSame([], $this->events(self::MINUTE));
        });
        self::assertSame([self::MINUTE => 3], $this->events(self::MINUTE));
        self::assertSame(['.', '..', 'history'], scandir($directory));

        // In a directory that it may not write to, it creates nothing, and it is no failure either.
        unlink($this->history->path);
        chown($directory, 0);
        chmod($directory, 0755);
        EffectiveUser::of(12_345, 12_345)->during(function (): void {
            self::assertNull(HistoryWriter::open($this->history, new SteppingClock));
        });
        self::assertSame(['.', '..'], scandir($directory));
    }

    /** @param list<Finding> $findings */
    private function assertWarnings(int $expected, array $findings): void
    {
        self::assertCount($expected, $findings);
        self::assertSame([], array_filter($findings, static fn (Finding $finding): bool => $finding->fatal));
    }
}
