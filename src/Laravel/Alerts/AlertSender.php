<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

use Headroom\Spool\Alerts\Decision;
use Headroom\Support\HostName;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Throwable;

/**
 * Sends one message to one channel, and never throws.
 *
 * @internal
 */
final readonly class AlertSender
{
    /** The limit of one step of an SMTP dialogue, unless the mailer has a timeout of its own. */
    private const SOCKET_SECONDS = '10';

    private const FAILURE_BYTES = 500;

    public function __construct(private string $application) {}

    public function test(AlertChannel $channel): AlertDelivery
    {
        return self::send($channel, new AlertMessage($this->application, HostName::own(), isTest: true));
    }

    public function report(AlertChannel $channel, Decision $decision): AlertDelivery
    {
        return self::send($channel, new AlertMessage(
            $this->application,
            HostName::own(),
            $decision->raised,
            $decision->resolved,
            $decision->remaining,
        ));
    }

    private static function send(AlertChannel $channel, AlertMessage $message): AlertDelivery
    {
        $before = PhpRestrictions::call('ini_set', 'default_socket_timeout', self::SOCKET_SECONDS);
        $failure = null;

        try {
            $channel->send($message);
        } catch (Throwable $e) {
            $text = trim(TerminalText::name($e->getMessage(), self::FAILURE_BYTES));
            $failure = $text === '' ? $e::class.'.' : rtrim($text, '.').'.';
        } finally {
            is_string($before) ? PhpRestrictions::call('ini_set', 'default_socket_timeout', $before) : null;
        }

        return new AlertDelivery($channel->name(), $message, $failure);
    }
}
