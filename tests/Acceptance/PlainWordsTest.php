<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Console\Standalone\PlainWords;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\Buffer;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Contract\Support\ScriptedServer;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Finder\Finder;

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

    /** Of all that its own messages name: what only Laravel has keeps its name. */
    #[Test]
    public function a_command_that_is_renamed_is_one_of_this_program(): void
    {
        preg_match_all('/^[a-z:-]+/m', $this->said('list', '--raw'), $own);
        $words = new PlainWords;
        $renamed = [];

        foreach (Finder::create()->files()->in(dirname(__DIR__, 2).'/src')->exclude('Laravel')->name('*.php') as $file) {
            preg_match_all('/php artisan [a-z]+(?::[a-z-]+)*/', $file->getContents(), $named);

            foreach ($named[0] as $name) {
                $said = (string) $words->format("Run `{$name}`.");
                preg_match('/`headroom ([a-z:-]+)`/', $said, $m);

                if ($m !== []) {
                    $renamed[$name] = $m[1];
                } else {
                    self::assertSame("Run `{$name}`.", $said);
                }
            }
        }

        self::assertArrayNotHasKey('php artisan migrate', $renamed);
        self::assertGreaterThan(20, count($renamed));
        self::assertSame([], array_diff($renamed, $own[0]));
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
        $spool = ['path' => $this->home->file('spool'), 'min_free_bytes' => 0, 'buckets' => $buckets];
        Running::configure($this->home->path, spool: $spool);

        return $spool;
    }

    private function said(string ...$words): string
    {
        return Running::run($this->home->path, ...$words)[1];
    }
}
