<?php

declare(strict_types=1);

namespace Headroom\Laravel\Sinks;

use Headroom\Support\TerminalText;
use Throwable;

/**
 * Tells a mail that is refused for good, for its recipient or its content, from a mail server that can not be used: of
 * the latter no mail must die. By the names of Symfony Mailer's classes, since an application may do without it.
 *
 * @internal
 */
final readonly class SmtpRefusal
{
    private const EXCEPTION = 'Symfony\Component\Mailer\Exception\TransportExceptionInterface';

    /** @return ?string why it is refused; null when it may pass later, or something else was wrong */
    public static function of(Throwable $failure): ?string
    {
        for ($cause = $failure; $cause !== null; $cause = $cause->getPrevious()) {
            $code = $cause->getCode();

            if (is_a($cause, self::EXCEPTION) && is_int($code) && $code >= 500 && $code <= 599 && self::isOfThisMail($cause)) {
                // Servers repeat the address, which has no business in a log.
                return TerminalText::line((string) preg_replace('/[^\s<>"]+@[^\s<>"]+/', '(address)', "The mail server refused it: {$cause->getMessage()}"));
            }
        }

        return null;
    }

    /** 5xx is also what a server says to a wrong password or sender (RFC 5321, 4.2.3): then no mail gets through. */
    private static function isOfThisMail(Throwable $failure): bool
    {
        // Symfony names the answers that would have been right. Those to RCPT TO no other command has.
        if (str_contains($failure->getMessage(), 'Expected response code "250/251/252"')) {
            return true;
        }

        $dialogue = method_exists($failure, 'getDebug') ? $failure->getDebug() : '';
        preg_match_all('/^(?:\[[^\]]*\] )?> (.*)$/m', is_string($dialogue) ? $dialogue : '', $commands);

        // The end of the mail's text is a line with a dot.
        return trim($commands[1][count($commands[1]) - 1] ?? '') === '.';
    }
}
