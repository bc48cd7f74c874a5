<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\Alerts\AlertFile;
use Headroom\Tests\Laravel\Support\AlertsTestCase;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * A disk of four megabytes that is really full, so that a record of what was reported needs space that is not there.
 */
final class AlertDiskTest extends AlertsTestCase
{
    private bool $isMounted = false;

    protected function setUp(): void
    {
        parent::setUp();
        is_dir($this->spool->path) || mkdir($this->spool->path);
        $mount = new Process(['mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', $this->spool->path]);

        if (posix_geteuid() !== 0 || $mount->run() !== 0) {
            self::markTestSkipped('Only root can mount a small disk, and not in every container.');
        }

        $this->isMounted = true;
        $this->spool->settings = ['min_free_bytes' => 262_144];
        $this->spool->add(1);
        $this->flush();
    }

    protected function tearDown(): void
    {
        $this->isMounted ? (new Process(['umount', $this->spool->path]))->run() : null;
        parent::tearDown();
    }

    private function fill(): void
    {
        @file_put_contents("{$this->spool->path}/headroom-filler", str_repeat('x', 5_000_000));
        self::assertSame(0.0, disk_free_space($this->spool->path));
    }

    private function free(): void
    {
        unlink("{$this->spool->path}/headroom-filler");
    }

    private function temporary(): string
    {
        return rtrim(sys_get_temp_dir(), '/').'/headroom-alerts-0-'.substr(hash('sha256', $this->spool->path), 0, 16);
    }

    #[Test]
    public function a_full_disk_is_reported_once_and_its_end_once(): void
    {
        self::assertSame([], $this->check());
        $this->fill();
        self::assertSame(['mail' => null], $this->check());
        [$mail] = $this->mails();
        self::assertStringContainsString('Disk space is short', (string) $mail->getSubject());
        self::assertStringContainsString('has 0 bytes left', (string) $mail->getTextBody());
        self::assertSame([], $this->check());
        self::assertFileDoesNotExist($this->temporary());

        $this->free();
        $this->check();
        self::assertSame(['All well again'], $this->subjects());
        self::assertSame([], $this->check());
    }

    #[Test]
    public function a_disk_that_was_full_before_the_first_check_is_reported_all_the_same(): void
    {
        $this->fill();

        for ($minute = 0; $minute < 3; $minute++) {
            self::assertTrue($this->services()->file()->claimTurn(50), "minute {$minute}");
            $this->check();
            $this->pass(60);
        }

        self::assertSame(['Disk space is short'], $this->subjects());
        $this->free();
        $this->check();
        self::assertSame(['All well again'], $this->subjects());
        self::assertSame(16_384, filesize("{$this->spool->path}/".AlertFile::NAME));
        self::assertFileDoesNotExist($this->temporary());
    }

    #[Test]
    public function a_disk_that_became_read_only_is_reported_once_and_its_end_once(): void
    {
        self::assertSame([], $this->check());
        self::assertSame(0, (new Process(['mount', '-o', 'remount,ro', $this->spool->path]))->run());

        for ($minute = 0; $minute < 4; $minute++) {
            $this->flush();
            $this->check();
            $this->pass(60);
        }

        $mails = $this->mails();
        self::assertCount(1, $mails);
        [$mail] = $mails;
        self::assertStringContainsString('A bucket has stopped', (string) $mail->getSubject());
        self::assertStringContainsString('read-only', (string) $mail->getTextBody());
        self::assertSame(0, (new Process(['mount', '-o', 'remount,rw', $this->spool->path]))->run());
        $this->check();
        self::assertSame(['All well again'], $this->subjects());
    }
}
