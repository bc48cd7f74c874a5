<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use Headroom\Tests\Support\Markdown\Walkthrough;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * The blocks of README.md: five steps in a new application, and the two commands for a clone, which dev/fresh.sh runs.
 */
final class ReadmeStepsTest extends DirectoryTestCase
{
    private const REQUESTS = 3;

    private ?Walkthrough $reader = null;

    protected function tearDown(): void
    {
        $this->reader?->closeTerminals();
        parent::tearDown();
    }

    #[Test]
    #[Group('day-2')]
    public function the_five_steps_deliver_what_the_endpoint_accepts(): void
    {
        $this->reader = $reader = NewLaravel::reader($this->directory, shortened: true);

        foreach (NewLaravel::slowEndpoint() as $block) {
            $reader->follow($block);
        }

        foreach (MarkdownPage::at('README.md')->under('Quickstart') as $block) {
            if (str_contains($block->code, 'spool:status')) {
                $this->sendsRequests($reader);
                NewLaravel::awaitDelivery($reader->directory());
            }

            $reader->follow($block);
        }

        $status = NewLaravel::status($reader->directory());
        self::assertSame([self::REQUESTS, self::REQUESTS, 0], [
            $status['accepted'], $status['delivered'], $status['pending'],
        ]);
        self::assertSame(self::REQUESTS, NewLaravel::rows($reader->directory()));
    }

    #[Test]
    public function the_change_on_the_first_screen_is_the_one_of_the_quickstart(): void
    {
        $change = MarkdownPage::at('README.md')->blocks('diff')[0]->code;
        $quickstart = array_map(
            static fn (CodeBlock $block): string => (string) preg_replace('/^([+-]) +/m', '$1 ', $block->code),
            MarkdownPage::at('docs/quickstart.md')->blocks('diff'),
        );

        self::assertContains($change, $quickstart);
    }

    #[Test]
    public function bare_machines_run_the_commands_for_a_clone(): void
    {
        $commands = MarkdownPage::at('README.md')->under('Requirements and status')[0]->code;
        preg_match_all('/^(make \w+)/m', $commands, $made);
        self::assertSame(['make demo', 'make test'], $made[1]);
        $steps = Files::read('dev/fresh/steps.sh');

        self::assertStringContainsString("step 'make demo' make demo", $steps);
    }

    private function sendsRequests(Walkthrough $reader): void
    {
        $reader->follow(
            new CodeBlock('README.md', 0, '', 'shell', "php artisan serve --no-reload\n", 'second terminal'),
        );
        $address = NewLaravel::serves($reader);

        for ($i = 1; $i <= self::REQUESTS; $i++) {
            [$status] = Http::send('POST', "http://{$address}/api/events", ['user_id' => $i, 'event' => 'api_call']);
            self::assertSame(202, $status);
        }
    }
}
