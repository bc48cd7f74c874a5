<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Closure;
use Headroom\Console\BaseCommand;
use Headroom\Console\CheckedOutput;
use Headroom\Console\TerminalStyles;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\UnderLoad\KnownServers;
use Headroom\Doctor\UnderLoad\Profile\PoolSite;
use Headroom\Doctor\UnderLoad\Waits\ProcessWaits;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'doctor:top', description: 'Show what each PHP-FPM process does, and how many requests wait')]
final class DoctorTopCommand extends BaseCommand implements SignalableCommandInterface
{
    private bool $stop = false;

    /**
     * @param Closure(array<class-string, Closure(Facts): object>): Facts $facts its argument has precedence over its
     *     own probes
     */
    public function __construct(private readonly Closure $facts, private readonly Clock $clock)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        ServerOptions::define($this);
        $this->addOption('every', null, InputOption::VALUE_REQUIRED, 'Seconds between two updates', '1')
            ->addOption('looks', null, InputOption::VALUE_REQUIRED, 'Number of updates; by default no limit')
            ->addOption('pool', null, InputOption::VALUE_REQUIRED, 'Show only this pool')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command shows what each PHP-FPM process does, and how many connections
                wait in the accept queue of the kernel. It reads status pages over FastCGI and changes nothing. Press q
                or Ctrl-C to end it.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --pool=www --every=0.5</info>
                    <info>php %command.full_name% --looks=1</info>

                Exit codes:

                  0  ended
                  1  there is no PHP-FPM to examine
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $every = self::number($input, 'every') ?? 1.0;
        $updates = self::number($input, 'looks');
        $facts = ($this->facts)(ServerOptions::probes($input));
        $pools = self::chosen($facts->get(FpmPools::class), $input->getOption('pool'));
        $waits = new ProcessWaits(KnownServers::in($facts));
        $site = static fn (FpmPool $pool): string => PoolSite::of(self::nginx($facts), $pool);
        // A terminal is overwritten; a pipe or a file gets one update below the other.
        $screen = $output instanceof ConsoleOutputInterface && $output->isDecorated()
            ? AlternateScreen::take($output)
            : null;

        try {
            for ($update = 1, $before = []; ! $this->stop; $update++) {
                $views = array_map(
                    fn (FpmPool $pool): PoolView => PoolView::of($pool->again(), $this->clock, $waits, $site),
                    $pools,
                );
                $lines = array_merge(...array_map(
                    static fn (PoolView $view): array => $view->lines($before[$view->key] ?? null),
                    $views,
                ));
                $lines = TerminalStyles::of($output)->paint($lines, PoolView::STYLES);
                $screen === null ? $output->writeln($lines, OutputInterface::OUTPUT_RAW) : $screen->show($lines);

                foreach ($views as $view) {
                    $before[$view->key] = $view;
                }

                if (($updates !== null && $update >= $updates) || self::isClosed($output)) {
                    break;
                }

                $this->rest($every, $screen);
            }
        } finally {
            $screen?->leave();
        }

        return self::SUCCESS;
    }

    /** Without this, `doctor:top | head` would never end: PHP ignores SIGPIPE. */
    private static function isClosed(OutputInterface $output): bool
    {
        return $output instanceof CheckedOutput && $output->isClosed;
    }

    private static function nginx(Facts $facts): ?NginxServers
    {
        try {
            return $facts->get(NginxServers::class);
        } catch (HeadroomException) {
            return null;
        }
    }

    /** @return list<int> */
    public function getSubscribedSignals(): array
    {
        return defined('SIGTERM') ? [SIGTERM, SIGINT] : [];
    }

    public function handleSignal(int $signal, int|false $previousExitCode = 0): int|false
    {
        $this->stop = true;

        return false;
    }

    /** Sleeps in short steps, so that a signal or a key takes effect soon. */
    private function rest(float $seconds, ?AlternateScreen $screen): void
    {
        $until = $this->clock->monotonicNanos() + (int) ($seconds * 1e9);

        while (! $this->stop && ($left = $until - $this->clock->monotonicNanos()) > 0) {
            $this->clock->sleep((int) min(100_000, $left / 1000));

            if ($screen?->isQuit() === true) {
                $this->stop = true;
            }
        }
    }

    /**
     * @return non-empty-list<FpmPool>
     *
     * @throws NotApplicable
     */
    private static function chosen(FpmPools $pools, mixed $name): array
    {
        $chosen = array_values(array_filter(
            $pools->pools,
            static fn (FpmPool $pool): bool => ! is_string($name) || $pool->name() === $name,
        ));

        if ($chosen === []) {
            $names = array_unique(array_map(static fn (FpmPool $pool): string => $pool->name(), $pools->pools));

            throw is_string($name) && $names !== []
                ? new InvalidOptionException("There is no pool '{$name}'. There are ".implode(', ', $names).'.')
                : NotApplicable::of(implode(' ', [
                    'No configuration of PHP-FPM could be read.',
                    ...array_map(static fn ($unread): string => $unread->getMessage(), array_values($pools->unread)),
                ]));
        }

        return $chosen;
    }

    private static function number(InputInterface $input, string $option): ?float
    {
        $given = $input->getOption($option);

        if ($given === null) {
            return null;
        }

        return is_numeric($given) && (float) $given >= 0.1 && (float) $given <= 86_400
            ? (float) $given
            : throw new InvalidOptionException(
                "--{$option} is '".(is_string($given) ? $given : '')."'. It must be a number from 0.1 to 86400.",
            );
    }
}
