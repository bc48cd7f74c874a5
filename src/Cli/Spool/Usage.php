<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Closure;
use Headroom\Core\HeadroomException;
use Headroom\Core\Printable;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * Tells wrong usage (2) from failure (1), and says either in one line instead of a stack trace.
 *
 * @internal
 */
final readonly class Usage
{
    public function __construct(private OutputInterface $output) {}

    /** @param Closure(): int $run */
    public function guard(Closure $run): int
    {
        try {
            return $run();
        } catch (ExceptionInterface $e) {
            $this->complain($e->getMessage());

            return Command::INVALID;
        } catch (HeadroomException $e) {
            $this->complain($e->getMessage());

            return Command::FAILURE;
        }
    }

    public function complain(string $message): void
    {
        $errors = $this->output instanceof ConsoleOutputInterface ? $this->output->getErrorOutput() : $this->output;
        $errors->writeln('<error>'.OutputFormatter::escape(Printable::line($message)).'</error>');
    }
}
