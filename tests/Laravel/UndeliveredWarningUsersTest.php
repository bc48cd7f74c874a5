<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\FileStore\Layout;
use Headroom\Tests\Laravel\Support\Person;
use Headroom\Tests\Laravel\Support\UsersTestCase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * The warning in the log of an application: its processes share the ten minutes, and its users may not.
 */
final class UndeliveredWarningUsersTest extends UsersTestCase
{
    private const LINE = "WARNING: spool: Nothing has delivered bucket 'api-events' for 60 minutes.";

    private function age(): Layout
    {
        $layout = new Layout($this->buffer, 'api-events');
        touch($layout->flushLock, time() - 3610);
        touch($layout->lateFile, time() - 100);
        [$segment] = $layout->files();
        $file = fopen($segment, 'r+');
        self::assertIsResource($file);
        // The time in the header, which no reader depends on.
        fseek($file, 20);
        fwrite($file, pack('J', (time() - 3610) * 1_000_000));
        fclose($file);

        return $layout;
    }

    #[Test, Group('day-1')]
    public function processes_of_one_user_write_one_line_and_a_flush_ends_it(): void
    {
        $this->ok(Person::webServer(), 'app:buffer', '1');
        self::assertStringNotContainsString('Nothing has delivered', $this->app->log());

        $layout = $this->age();
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $this->ok(Person::webServer(), 'app:buffer', '3');
        self::assertSame(1, substr_count($this->app->log(), self::LINE), $this->app->log());

        $this->ok(Person::webServer(), 'spool:flush');
        unlink($layout->warnedFile);
        $this->ok(Person::webServer(), 'app:buffer', '2');
        self::assertSame(1, substr_count($this->app->log(), 'Nothing has delivered'), $this->app->log());
    }

    #[Test]
    public function a_directory_in_which_no_file_can_be_made_does_not_break_the_append(): void
    {
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $layout = $this->age();
        chmod($layout->directory, 0o500);
        $this->ok(Person::webServer(), 'app:buffer', '1');
        chmod($layout->directory, 0o700);

        self::assertStringNotContainsString('Nothing has delivered', $this->app->log());
        self::assertStringNotContainsString('refuses events', $this->app->log());
        self::assertSame(0, $this->delivered());
    }

    #[Test]
    public function in_maintenance_mode_nothing_is_written(): void
    {
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $this->age();
        $this->ok(Person::root(), 'down');
        $this->ok(Person::webServer(), 'app:buffer', '1');

        self::assertStringNotContainsString('Nothing has delivered', $this->app->log());
    }
}
