<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Console\BaseCommand;
use Headroom\Laravel\Alerts\AlertDelivery;
use Headroom\Laravel\Alerts\AlertServices;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\HeartbeatSender;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Throwable;

/**
 * @internal
 */
#[AsCommand(name: 'headroom:notify', description: 'Check for problems, and send alerts about new ones')]
final class NotifyCommand extends BaseCommand
{
    /** Two checks of a schedule that runs each minute are at least that far apart. */
    public const INTERVAL_SECONDS = 50;

    /** A receiver may hang for longer than its time limit, and so may the code of a notifiable. */
    private const TIME_LIMIT_SECONDS = 90;

    private const NO_RECEIVER = 'No receiver is configured under headroom.notify in config/headroom.php;'
        .' see docs/alerts.md.';

    public function __construct(private readonly SpoolServices $spool, private readonly AlertServices $alerts)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addOption('test', null, InputOption::VALUE_NONE, 'Send a test message to each receiver')
            ->addOption(
                'scheduled',
                null,
                InputOption::VALUE_NONE,
                'Do nothing if a check has run in this minute, and end after 90 seconds at most',
            )
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command looks at the buffer, and sends a message about new problems to
                the receivers of <info>headroom.notify</info> in config/headroom.php. The scheduler, spool:flush and
                spool:work run it each minute.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --test</info>

                Exit codes:

                  0  each receiver has taken its message, or there was none to send
                  1  a receiver has not, or with --test there is no receiver
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        if ($input->getOption('test') === true) {
            return $this->test($output);
        }

        if (! $this->alerts->isUsed()) {
            $output->writeln(self::NO_RECEIVER);

            return self::SUCCESS;
        }

        if ($input->getOption('scheduled') !== true) {
            return $this->check($output);
        }

        if (! $this->hasCause() || ! $this->alerts->file()->claimTurn(self::INTERVAL_SECONDS)) {
            return self::SUCCESS;
        }

        // The default action of SIGALRM ends the process also while a call hangs.
        PhpRestrictions::call('pcntl_alarm', self::TIME_LIMIT_SECONDS);

        try {
            return $this->check($output);
        } finally {
            PhpRestrictions::call('pcntl_alarm', 0);
        }
    }

    private function test(OutputInterface $output): int
    {
        $deliveries = $this->alerts->test();

        if ($deliveries === []) {
            $this->writeLine($output, self::NO_RECEIVER);
        }

        foreach ($deliveries as $delivery) {
            $this->writeLine($output, $delivery->failure === null
                ? "{$delivery->channel}: took the test message."
                : "{$delivery->channel}: failed. {$delivery->failure}");
        }

        return $deliveries === [] || self::hasFailed($deliveries) ? self::FAILURE : self::SUCCESS;
    }

    private function check(OutputInterface $output): int
    {
        if (! $this->hasCause()) {
            $output->writeln('Nothing has been buffered yet, so there is nothing to check.');

            return self::SUCCESS;
        }

        if ($this->spool->isInMaintenance()) {
            $output->writeln('The application is in maintenance mode, in which nothing is delivered: no check.');

            return self::SUCCESS;
        }

        try {
            $deliveries = $this->alerts->check()->run();
        } catch (Throwable $e) {
            $this->alerts->logFailure($e);

            throw $e;
        }

        foreach ($deliveries as $delivery) {
            $this->writeLine($output, self::words($delivery));
        }

        if ($deliveries === []) {
            $output->writeln('There is nothing new to report.');
        }

        return self::hasFailed($deliveries) ? self::FAILURE : self::SUCCESS;
    }

    /** Before the first event there is nothing to report, and a file created now would belong to this user. */
    private function hasCause(): bool
    {
        return (new HeartbeatSender($this->spool))->hasCause();
    }

    private static function words(AlertDelivery $delivery): string
    {
        $message = $delivery->message->raised === []
            ? 'all well again'
            : TerminalText::count(count($delivery->message->raised), 'new problem');

        return $delivery->failure === null
            ? "{$delivery->channel}: {$message}."
            : "{$delivery->channel}: failed. {$delivery->failure}";
    }

    private function writeLine(OutputInterface $output, string $line): void
    {
        $output->writeln(OutputFormatter::escape(TerminalText::line($line)));
    }

    /** @param list<AlertDelivery> $deliveries */
    private static function hasFailed(array $deliveries): bool
    {
        return array_filter(
            $deliveries,
            static fn (AlertDelivery $delivery): bool => $delivery->failure !== null,
        ) !== [];
    }
}
