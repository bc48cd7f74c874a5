<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

use Headroom\Laravel\Text\Sentences;
use Headroom\Spool\Alerts\Alert;
use Headroom\Spool\Alerts\AlertCause;
use Headroom\Spool\Alerts\ResolvedAlert;
use Headroom\Spool\Health\NodesAreSilent;
use Headroom\Support\TerminalText;

/**
 * One message of the alerts: new problems, the end of all reported problems, or a test.
 *
 * The texts are plain and single lines of a limited length, without control characters. They may contain the text of an
 * exception that a sink threw, so a channel has to escape them for its format.
 */
final readonly class AlertMessage
{
    /** The rest is counted. Slack takes 50 blocks, and a reader fewer. */
    private const MAX_ALERTS = 15;

    private const MAX_BYTES = 700;

    /**
     * @internal
     *
     * @param list<Alert> $raised new problems
     * @param list<ResolvedAlert> $resolved all reported problems, if they are gone
     * @param list<Alert> $remaining with $resolved: dead letters that were reported and still lie there
     */
    public function __construct(
        public string $application,
        public string $host,
        public array $raised = [],
        public array $resolved = [],
        public array $remaining = [],
        public bool $isTest = false,
    ) {}

    /** One line, such as the subject of a mail. */
    public function title(): string
    {
        $titles = array_values(array_unique(array_map(
            static fn (Alert $alert): string => $alert->cause->title(),
            $this->raised,
        )));

        return self::line(match (true) {
            $this->isTest => "[{$this->application}] Test message from {$this->host}",
            $this->raised !== [] => "[{$this->application}] ".implode(', ', $titles)." ({$this->host})",
            default => "[{$this->application}] All well again ({$this->host})",
        }, 140);
    }

    /** @return list<AlertText> */
    public function parts(): array
    {
        if ($this->isTest) {
            return [new AlertText('Test', 'The alerts of Headroom reach this channel.', 'Nothing has happened.')];
        }

        $shown = array_slice($this->raised, 0, self::MAX_ALERTS);
        $hidden = count($this->raised) - count($shown);

        return [
            ...array_map(self::raised(...), $shown),
            ...($hidden === 0 ? [] : [new AlertText(
                TerminalText::count($hidden, 'more problem'),
                'The message would be too long.',
                'Run `php artisan spool:health`: it shows all of them.',
            )]),
            ...array_map(self::resolved(...), array_slice($this->resolved, 0, self::MAX_ALERTS)),
            ...($this->resolved === [] ? [] : array_map(
                self::remaining(...),
                array_slice($this->remaining, 0, self::MAX_ALERTS),
            )),
        ];
    }

    /** The message without formatting, for a channel that shows plain text. */
    public function text(): string
    {
        $texts = array_map(static fn (AlertText $part): string => implode("\n", $part->lines()), $this->parts());

        return implode("\n\n", [$this->title(), ...$texts]);
    }

    private static function raised(Alert $alert): AlertText
    {
        return new AlertText(
            self::line("{$alert->cause->title()}: {$alert->subject}", 200),
            self::line($alert->message),
            self::line(Sentences::withCommands($alert->fix)),
        );
    }

    private static function resolved(ResolvedAlert $alert): AlertText
    {
        $after = NodesAreSilent::ago($alert->seconds);

        return new AlertText(
            self::line("Over: {$alert->cause->title()}: {$alert->subject}", 200),
            $alert->cause === AlertCause::DeadLetters
                ? 'Its dead letters were retried or deleted.'
                : "It ended after {$after}.",
        );
    }

    private static function remaining(Alert $alert): AlertText
    {
        return new AlertText(
            self::line("Still there: {$alert->subject}", 200),
            self::line($alert->message),
            self::line(Sentences::withCommands($alert->fix)),
        );
    }

    private static function line(string $text, int $bytes = self::MAX_BYTES): string
    {
        return TerminalText::name($text, $bytes);
    }
}
