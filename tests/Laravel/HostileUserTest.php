<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\Person;
use Headroom\Tests\Laravel\Support\UsersTestCase;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * Two real users share a buffer, and one of them is hostile. Fault/HostileFilesTest has the tests that need only one
 * user.
 */
final class HostileUserTest extends UsersTestCase
{
    private Person $webServer;

    private Person $other;

    protected function prepare(): Person
    {
        $this->webServer = Person::webServer();
        $this->other = Person::other(['www-data']);
        mkdir($this->buffer);
        chgrp($this->buffer, 'www-data');
        chmod($this->buffer, 0o2770);
        $this->app->config(
            'spool',
            "['path' => base_path('shared/buffer'), 'dir_mode' => 02770, 'file_mode' => 0660, 'buckets' =>"
                ." ['api-events' => ['sink' => 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();

        return $this->other;
    }

    #[Test, Group('day-2')]
    #[TestDox('another user owns an active segment')]
    public function a_slot_closed_by_one_user_is_named_and_holds_up_no_others(): void
    {
        $this->ok($this->webServer, 'app:buffer', '1');
        $this->ok($this->other, 'app:buffer', '1');
        $slot = (string) ((array) glob("{$this->buffer}/buckets/api-events/active/u65534-*.log"))[0];
        chmod($slot, 0o600);

        foreach ([1, 2] as $delivered) {
            $refused = $this->app->artisanAs($this->webServer, 'spool:flush');
            self::assertSame(1, $refused->exit, $refused->all());
            Sentence::assertNames([$slot, 'nobody (uid 65534)', 'www-data (uid 33)'], $refused->err);
            self::assertSame($delivered, $this->delivered());
            $this->ok($this->webServer, 'app:buffer', '1');
        }

        self::assertStringContainsString($slot, $this->app->log());
        chmod($slot, 0o660);
        $this->ok($this->webServer, 'spool:flush');
        self::assertSame(4, $this->delivered());
    }

    #[Test, Group('day-3')]
    public function a_link_in_place_of_a_slot_leads_no_process_out_of_the_buffer(): void
    {
        $this->ok($this->webServer, 'app:buffer', '1');
        $this->ok($this->webServer, 'spool:flush');
        $secret = $this->app->path('shared/secret');
        file_put_contents($secret, 'odd');
        chown($secret, 'www-data');
        $active = "{$this->buffer}/buckets/api-events/active";
        $evil = $this->app->run([
            ...$this->other->prefix(),
            'sh',
            '-c',
            'ln -s "$1" "$2/u33-0000.log" && mkfifo "$2/u33-0001.log" && ln -s /etc/passwd "$2/u0-0000.log"',
            'sh',
            $secret,
            $active,
        ]);
        self::assertSame(0, $evil->exit, $evil->all());

        $this->ok($this->webServer, 'app:buffer', '1');
        $flushed = $this->app->artisanAs(Person::root(), 'spool:flush');
        self::assertSame(1, $flushed->exit);
        self::assertMatchesRegularExpression('~^api-events: \S+/active/u\d+-000\d\.log .*\b2\b~m', $flushed->err);
        self::assertSame(2, $this->delivered());
        self::assertStringEqualsFile($secret, 'odd');
        self::assertSame(0o100644, fileperms('/etc/passwd'));
    }

    #[Test, Group('day-1')]
    public function names_chosen_by_another_user_cannot_forge_lines_of_output(): void
    {
        $this->ok($this->webServer, 'app:buffer', '1');
        $evil = "%s\n FAIL  forged\e[2J<error>";
        touch("{$this->buffer}/buckets/api-events/active/{$evil}");
        mkdir("{$this->buffer}/buckets/{$evil}");
        $health = $this->app->artisanAs($this->webServer, 'spool:health')->all();

        self::assertStringContainsString('/active/%s\n FAIL  forged\e[2J<error>: ', $health);
        self::assertStringNotContainsString("\e[2J", $health);
        self::assertDoesNotMatchRegularExpression('/^ FAIL  forged/m', $health);
        $this->ok($this->webServer, 'spool:flush');
        self::assertStringNotContainsString("\e", $this->ok($this->webServer, 'spool:status')->all());
        self::assertStringNotContainsString(
            "\e",
            $this->app->artisanAs($this->webServer, 'spool:flush', "a\e[2J\nb")->all(),
        );
    }
}
