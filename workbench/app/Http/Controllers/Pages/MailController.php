<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\JsonResponse;
use Illuminate\Mail\SentMessage;
use Illuminate\Support\Facades\Mail;
use Workbench\App\Mail\Welcome;

/**
 * Sends a mail to nowhere and says what was in it.
 */
final class MailController
{
    public function __invoke(): JsonResponse
    {
        $sent = Mail::mailer('array')->to('ada@workbench.example')->send(new Welcome('Ada', 'pages'));

        return new JsonResponse([
            'to' => $sent instanceof SentMessage ? $sent->getEnvelope()->getRecipients()[0]->getAddress() : null,
            'id' => $sent instanceof SentMessage ? $sent->getMessageId() : null,
        ]);
    }
}
