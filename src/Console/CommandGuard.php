<?php

declare(strict_types=1);

namespace Headroom\Console;

use Closure;
use Headroom\Core\HeadroomException;
use Headroom\Spool\InvalidBucket;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Throwable;

/**
 * Tells wrong usage (2) from failure (1), and says either in one line instead of a stack trace, or as JSON where that
 * was asked for.
 *
 * @internal
 */
final readonly class CommandGuard
{
    /** @param ?InputInterface $input of a command that has --json */
    public function __construct(private OutputInterface $output, private ?InputInterface $input = null) {}

    /** @param Closure(): int $run */
    public function guard(Closure $run): int
    {
        try {
            return PhpRestrictions::within($run);
        } catch (ExceptionInterface|InvalidBucket $e) {
            return $this->refuse($e->getMessage(), Command::INVALID);
        } catch (HeadroomException $e) {
            return $this->refuse($e->getMessage(), Command::FAILURE);
        } catch (Throwable $e) {
            // Whatever reads JSON must find some; else the application's handler has the better words.
            return $this->isJson() ? $this->refuse($e->getMessage(), Command::FAILURE) : throw $e;
        }
    }

    public function complain(string $message): void
    {
        $errors = $this->output instanceof ConsoleOutputInterface ? $this->output->getErrorOutput() : $this->output;
        // --quiet leaves errors out of what it keeps back.
        $line = OutputFormatter::escape(TerminalText::line($message));
        $errors->writeln("<error>{$line}</error>", OutputInterface::VERBOSITY_QUIET);
    }

    /** What a command ends with that did not find what it was asked for. */
    public function fail(string $message): int
    {
        return $this->refuse($message, Command::FAILURE);
    }

    public function misuse(string $message): int
    {
        return $this->refuse($message, Command::INVALID);
    }

    public function refuse(string $message, int $exit): int
    {
        $this->isJson() ? (new JsonOutput($this->output))->print(['error' => $message]) : $this->complain($message);

        return $exit;
    }

    /** Asked of the words themselves, which may not be those of the definition. */
    private function isJson(): bool
    {
        return $this->input?->hasParameterOption('--json', true) === true;
    }
}
