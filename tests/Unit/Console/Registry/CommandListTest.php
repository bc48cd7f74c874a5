<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Registry;

use Headroom\Console\Registry\CommandList;
use Headroom\Laravel\Console\ArtisanCommands;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use ReflectionClass;
use RuntimeException;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Finder\Finder;

final class CommandListTest extends TestCase
{
    /** @return iterable<string, array{class-string<Command>, array{0: string, 1: string, 2?: bool}}> */
    public static function commands(): iterable
    {
        foreach (CommandList::SPOOL + CommandList::TOOLS + ArtisanCommands::LARAVEL as $class => $command) {
            yield $class => [$class, $command];
        }
    }

    /**
     * @param class-string<Command> $class
     * @param array{0: string, 1: string, 2?: bool} $command
     */
    #[Test]
    #[DataProvider('commands')]
    public function the_list_says_the_same_as_the_attribute_of_the_class(string $class, array $command): void
    {
        $attribute = (new ReflectionClass($class))->getAttributes(AsCommand::class)[0]->getArguments();

        self::assertSame(
            ['name' => $command[0], 'description' => $command[1], 'hidden' => $command[2] ?? false],
            $attribute + ['hidden' => false],
        );
    }

    #[Test]
    public function every_command_class_is_in_the_list(): void
    {
        $root = dirname(__DIR__, 4).'/src';
        $classes = [];

        $files = (new Finder)->files()->in(["{$root}/Console", "{$root}/Laravel/Console"])->name('*.php');

        foreach ($files->contains('#[AsCommand(') as $file) {
            $classes[] = 'Headroom\\'.strtr(substr($file->getPathname(), strlen($root) + 1, -4), '/', '\\');
        }

        self::assertEqualsCanonicalizing($classes, array_keys(iterator_to_array(self::commands())));
    }

    #[Test]
    public function a_command_is_built_when_it_is_called_and_not_before(): void
    {
        $built = [];
        $commands = CommandList::lazy(CommandList::SPOOL, static function (string $class) use (&$built): Command {
            $built[] = $class;

            throw new RuntimeException('It is built.');
        }, 'x:');

        $seen = array_map(
            static fn (Command $command): array => [$command->getName(), $command->getDescription()],
            $commands,
        );
        $listed = array_map(static fn (array $command): array => ["x:{$command[0]}", $command[1]], CommandList::SPOOL);

        self::assertSame(array_values($listed), $seen);
        self::assertSame([], $built);

        $this->expectExceptionMessage('It is built.');
        $commands[0]->getDefinition();
    }
}
