<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console;

use Headroom\Console\Standalone\Bootstrap;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\LazyCommand;
use Symfony\Component\Console\Input\StringInput;

/**
 * The help of each command has examples that its own definition accepts, and a list of exit codes.
 */
#[Group('smoke')]
final class HelpTest extends TestCase
{
    private const SYMFONYS = ['help', 'list', 'completion', '_complete'];

    #[Test]
    #[DataProvider('commands')]
    public function each_example_of_the_help_is_a_valid_command_line(string $name): void
    {
        $command = self::command($name);
        $command->mergeApplicationDefinition();
        preg_match_all('/php %command\.full_name%([^\n|]*)/', self::help($command), $examples);

        self::assertGreaterThanOrEqual(1, count($examples[1]), 'The help has no example.');

        foreach ($examples[1] as $example) {
            $input = new StringInput($name.preg_replace('/ > \S+\z/', '', $example));
            $input->bind($command->getDefinition());
            $input->validate();
        }
    }

    #[Test]
    #[DataProvider('commands')]
    public function the_help_lists_the_exit_codes(string $name): void
    {
        self::assertMatchesRegularExpression(
            "/\nExit codes:\n\s*0  \S[^\n]*\n(?: [^\n]*\n)* +2  wrong usage/",
            self::help(self::command($name)),
        );
    }

    /** @return iterable<string, array{string}> */
    public static function commands(): iterable
    {
        foreach ((new Bootstrap)->application()->all() as $name => $command) {
            if (! $command->isHidden() && ! in_array($name, self::SYMFONYS, true)) {
                yield $name => [$name];
            }
        }
    }

    private static function help(Command $command): string
    {
        return (string) preg_replace('~</?(?:info|comment)>~', '', $command->getHelp());
    }

    private static function command(string $name): Command
    {
        $command = (new Bootstrap)->application()->get($name);

        return $command instanceof LazyCommand ? $command->getCommand() : $command;
    }
}
