<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers;

use Headroom\Laravel\Facades\Buffer;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;

final class ContactController
{
    public function __invoke(Request $request): JsonResponse
    {
        $contact = $request->validate([
            'email' => ['required', 'email', 'max:255'],
            'name' => ['required', 'string', 'max:255'],
        ]);

        // Instead of Http::post('https://crm.example.com/contacts', $contact)
        Buffer::bucket('crm')->add(['email' => $contact['email'], 'name' => $contact['name'], 'signed_up_at' => now()]);

        return new JsonResponse(['accepted' => true], 202);
    }
}
