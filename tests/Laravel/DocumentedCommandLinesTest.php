<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Standalone\Bootstrap;
use Headroom\Tests\Architecture\Document;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A command line that a document prints runs: the command is there, and it has the options.
 */
final class DocumentedCommandLinesTest extends TestCase
{
    private const ARTISAN = 'php artisan';

    /** Documents that name commands of earlier versions. */
    private const HISTORY = '~\A(?:UPGRADING\.md|docs/adr/)~';

    #[Test]
    public function each_command_line_has_a_command_and_options_that_exist(): void
    {
        $known = [self::ARTISAN => $this->artisan(), 'headroom' => $this->plain()];
        $texts = array_map(Document::fromFile(...), Files::in('resources/checks'));
        $unknown = [];
        $seen = 0;

        foreach ([...Document::all(), ...$texts] as $document) {
            foreach (preg_match(self::HISTORY, $document->path) === 1 ? [] : $document->commandLines() as $line) {
                $isArtisan = $line['program'] === self::ARTISAN;

                if ($isArtisan && preg_match('/\A(?:spool|headroom):/', $line['command']) !== 1) {
                    continue;
                }

                $seen++;
                $words = "{$document->path}: {$line['program']} {$line['command']}";
                $options = $known[$isArtisan ? self::ARTISAN : 'headroom'][$line['command']] ?? null;
                $missing = $options === null ? [''] : array_diff($line['options'], $options);
                array_push($unknown, ...array_map(static fn (string $one): string => "{$words} {$one}", $missing));
            }
        }

        self::assertSame('', implode("\n", array_unique($unknown)));
        self::assertGreaterThan(300, $seen);
    }

    /** @return array<string, list<string>> names of options by command */
    private function artisan(): array
    {
        $app = ScratchApplication::onThisCheckout();
        $list = json_decode($app->artisan('list', '--format=json')->out, true);
        $app->remove();
        self::assertIsArray($list);
        self::assertIsArray($list['commands']);

        $options = [];

        foreach ($list['commands'] as $command) {
            self::assertIsArray($command);
            self::assertIsString($command['name']);
            self::assertIsArray($command['definition']);
            self::assertIsArray($command['definition']['options']);
            $options[$command['name']] = array_map(strval(...), array_keys($command['definition']['options']));
        }

        return $options;
    }

    /** @return array<string, list<string>> names of options by command */
    private function plain(): array
    {
        $application = (new Bootstrap)->application();

        $options = [];

        foreach (array_keys($application->all()) as $name) {
            $command = $application->get($name);
            $command->mergeApplicationDefinition();
            $options[(string) $name] = array_map(strval(...), array_keys($command->getDefinition()->getOptions()));
        }

        return $options;
    }
}
