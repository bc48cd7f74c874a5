<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Host\TemporaryDirectory;
use Headroom\Spool\Buffer;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Contract\Support\ScriptedServer;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * bin/headroom says what to do in words that are true without Laravel, and leaves alone what events say.
 */
final class PlainWordsTest extends TestCase
{
    private TemporaryDirectory $home;

    protected function setUp(): void
    {
        $this->home = TemporaryDirectory::create('plain');
    }

    protected function tearDown(): void
    {
        $this->home->remove();
    }

    #[Test]
    public function a_message_names_the_file_and_the_commands_that_are_there(): void
    {
        $server = ScriptedServer::start();
        $server->next(['status' => 401]);
        $spool = $this->configure(['events' => ['sink' => 'http', 'url' => $server->url('')]]);

        try {
            self::assertMatchesRegularExpression("/'nope'.* headroom\\.php/", $this->said('spool:flush', 'nope'));
            self::assertStringContainsString('`headroom collect`', $this->said('spool:health'));
            Buffer::fromArray($spool)->bucket('events')->add(['n' => 1]);
            self::assertStringContainsString('  headroom spool:new-id --copied-at=TIME ', $this->said('spool:new-id'));
            self::assertStringNotContainsString('artisan', $this->said('spool:new-id'));
            self::assertMatchesRegularExpression("/'headers'.*'sign'/", $this->said('spool:flush'));
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function the_text_of_an_event_is_shown_as_it_is(): void
    {
        $spool = $this->configure(['events' => ['sink' => 'file', 'path' => $this->home->file('out.ndjson')]]);
        Buffer::fromArray($spool)->bucket('events')->add(['text' => 'config/spool.php and `php artisan spool:flush`']);

        self::assertStringContainsString('"config/spool.php and `php artisan spool:flush`"', $this->said('spool:peek', 'events'));
    }

    /**
     * @param array<string, mixed> $buckets
     * @return array<string, mixed>
     */
    private function configure(array $buckets): array
    {
        $spool = ['path' => $this->home->file('spool'), 'reserve' => 0, 'buckets' => $buckets];
        Running::configure($this->home->path, spool: $spool);

        return $spool;
    }

    private function said(string ...$words): string
    {
        return Running::run($this->home->path, ...$words)[1];
    }
}
