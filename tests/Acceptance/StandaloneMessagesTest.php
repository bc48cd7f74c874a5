<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Spool\Buffer;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * Messages of bin/headroom name commands and settings that exist without Laravel.
 */
final class StandaloneMessagesTest extends DirectoryTestCase
{
    #[Test]
    public function a_message_names_the_file_and_the_commands_that_are_there(): void
    {
        $server = ScriptedServer::start();
        $server->next(['status' => 401]);
        $spool = $this->configure(['events' => ['sink' => 'http', 'url' => $server->url('')]]);

        try {
            self::assertMatchesRegularExpression("/'nope'.* spool\\.buckets/", $this->said('spool:flush', 'nope'));
            Buffer::fromArray($spool)->bucket('events')->add(['n' => 1]);
            self::assertStringContainsString('  spool:new-id --copied-at=TIME ', $this->said('spool:new-id'));
            self::assertMatchesRegularExpression("/'headers'.*'sign'/", $this->said('spool:flush'));

            foreach (['spool:health', 'spool:new-id', 'spool:status', 'spool:flush'] as $command) {
                self::assertStringNotContainsString('artisan', $this->said($command));
            }
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_command_is_found_under_the_name_that_artisan_has(): void
    {
        $this->configure(['events' => ['sink' => 'file', 'path' => $this->directory->file('out.ndjson')]]);

        self::assertSame($this->said('collect:key', 'list'), $this->said('headroom:collect:key', 'list'));
        self::assertStringContainsString('keys', $this->said('headroom:collect:key', 'list'));
        self::assertStringContainsString('"nope"', $this->said('headroom:nope'));
    }

    #[Test]
    public function the_text_of_an_event_is_shown_as_it_is(): void
    {
        $spool = $this->configure(['events' => ['sink' => 'file', 'path' => $this->directory->file('out.ndjson')]]);
        Buffer::fromArray($spool)->bucket('events')->add(['text' => 'config/spool.php and `php artisan spool:flush`']);

        self::assertStringContainsString(
            '"config/spool.php and `php artisan spool:flush`"',
            $this->said('spool:peek', 'events'),
        );
    }

    /**
     * @param array<string, mixed> $buckets
     * @return array<string, mixed>
     */
    private function configure(array $buckets): array
    {
        $spool = ['path' => $this->directory->file('spool'), 'min_free_bytes' => 0, 'buckets' => $buckets];
        Running::configure($this->directory->path, spool: $spool);

        return $spool;
    }

    private function said(string ...$words): string
    {
        return Running::run($this->directory->path, ...$words)[1];
    }
}
